// The numbers of the verdict that are chosen and not measured, each with its reason.
#pragma once

#include <cstdint>

namespace skua::reports::thresholds {

/// A run that loses less is fast enough: it uses six of seven CPUs, and runs differ by about as much.
inline constexpr double negligible_loss = 0.15;

/// Of the number of workers: with less parallelism, more workers would hardly be faster.
inline constexpr double parallelism_for_more_workers = 1.5;

/// A shorter run on a real machine shows mostly waking threads and first uses of memory.
inline constexpr double too_short_s = 0.002;

/// Waiting for CPUs that other programs use is reported before a larger loss if it takes this share of all time and that
/// part of the loss: workers that wait for a worker without a CPU are idle through no fault of the program.
inline constexpr double others_share = 0.10, others_part_of_loss = 0.3;

/// The longest task alone determines the span if it is at least this part of it: the rest cannot be longer.
inline constexpr double one_task_holds_span = 0.5;
/// ... and it is unlike other tasks if it is this many times as long as their mean.
inline constexpr double unlike_the_mean = 3;

/// ... and other workers have nothing to do for at least this part of it.
inline constexpr double idle_beside_it = 0.25;

/// Tasks are too small for stealing if a steal costs more than this part of the stolen task.
inline constexpr double steal_part_of_task = 0.25;

/// Tasks of a group with less work each are tiny: to make, to take and to end one takes about as long.
inline constexpr double tiny_task_ns = 250;

/// A loop is too small if its work takes less than so many steals: thieves come when most of it is done.
inline constexpr double steals_a_loop = 10;
/// ... and only if there are so many loops, since a few do not limit a run.
inline constexpr std::uint64_t many_loops = 100;

/// What a call of lock() that finds the mutex locked costs beside its wait: the lines of the mutex and of the data move between
/// cores. On two cores of a virtual EPYC such a call made programs 1.2 to 1.6 us slower; where cores are nearer it is less.
/// `most_of_locked_call_ns` is attributed only where a baseline shows that the work became slower.
inline constexpr double locked_call_ns = 500, most_of_locked_call_ns = 2000;

/// The control group's quota is used up if the process used this part of it.
inline constexpr double used_quota = 0.8;

/// A line from another domain takes about three times as long as a near one: a cache of another package answers in 200 to
/// 300 cycles and the own last level in 40 to 70; another memory takes twice the time of the own.
inline constexpr double remote_slowness = 3;
/// A memory is saturated if it delivers this part of its bandwidth over the whole run, pauses included. From 2/3 on a read
/// waits longer for the reads before it than it takes itself: a queue with random arrivals and equal services has a mean
/// wait of r / 2(1 - r) services where r is the utilisation.
inline constexpr double full_memory = 0.7;
/// On a real machine memories may limit the workers if each of them moves so many bytes in a second: a tenth of what one
/// core can read alone, 8 to 20 GB/s. Tasks that compute in their caches miss less.
inline constexpr double much_data = 1e9;
/// Data lie in one memory if it serves this part of all bytes although there are others.
inline constexpr double one_memory = 0.75;
/// Steals are remote if their share is higher than this. On machines that do not count remote reads, this share of all
/// work must have been stolen remotely.
inline constexpr double many_remote = 0.25;

/// A worker is busy in an interval of the timeline if it computes for this part of it. The others have nothing to do if they
/// compute for less than `idle` of it: otherwise many short parallel parts within an interval would look serial.
inline constexpr double busy = 0.5, idle = 0.1;

}  // namespace skua::reports::thresholds
