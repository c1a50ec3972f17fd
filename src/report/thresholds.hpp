// Every number of the verdict that is chosen and not measured, with its reason.
#pragma once

namespace skua::reports::thresholds {

/// A run that loses less is as fast as one may ask for: six of seven CPUs' worth, and what changes from run to run.
inline constexpr double negligible_loss = 0.15;

/// In a shorter run on a real machine threads that wake and first uses of memory are most of what is seen.
inline constexpr double too_short_s = 0.002;

/// Waiting for CPUs that others have is told before a larger loss when it takes this share of all time and that part of
/// what is lost: who waits for a worker without a CPU is idle through no fault of the program.
inline constexpr double others_share = 0.10, others_part_of_loss = 0.3;

/// The longest task alone holds the span, where it is at least this part of it: the rest can be no longer.
inline constexpr double one_task_holds_span = 0.5;
/// ... and it is not a task like others, where it is so many times the mean.
inline constexpr double unlike_the_mean = 3;

/// ... and others have nothing to do for at least this part of it.
inline constexpr double idle_beside_it = 0.25;

/// Tasks are too small for stealing where taking one costs more than this part of what it brings.
inline constexpr double steal_part_of_task = 0.25;

/// A line from another domain takes some three times as long as one that is near: a cache of another package answers in
/// 200 to 300 cycles and the own last level in 40 to 70, another memory in twice the time of the own.
inline constexpr double remote_slowness = 3;
/// A memory is full when it brings this part of what it can over the whole run, pauses and all.
inline constexpr double full_memory = 0.6;
/// Data lie in one memory when that one serves this part of all bytes, and others could.
inline constexpr double one_memory = 0.75;
/// Steals are remote where they are more often than this; and on machines that count no remote reads, that much of all
/// work must have been stolen so.
inline constexpr double many_remote = 0.25;

/// A worker works in an interval of the timeline when it computes for this part of it; and others have nothing to do when
/// they compute for less than that part: else many short parallel parts within an interval look like one that is not.
inline constexpr double works = 0.5, nothing_to_do = 0.1;

}  // namespace skua::reports::thresholds
