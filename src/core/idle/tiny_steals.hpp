// When a thief steals one tiny task after the other, each steal costs its victim more than the task would have. So the thief
// lets the victims run alone for a few microseconds before it searches again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua::core {

/// What the worker's last steals were worth. For the holder of a worker only. Times are nanoseconds of any clock; `begun` is
/// the number of tasks that have begun at the worker.
class tiny_steals {
 public:
  /// A search has found a task, or a loop from which this worker takes a part.
  void found(std::int64_t now_ns, bool loop, std::uint32_t begun) noexcept {
    found_ns_ = now_ns;
    begun_ = begun;
    last_ = loop ? what::part_of_loop : what::task;
    loop_ns_ = 0;
  }

  /// The worker has run positions of a loop. Claiming takes longer than running a few tiny positions, so claims do not
  /// count.
  void ran_positions(std::int64_t ns) noexcept { loop_ns_ += ns; }

  /// Whether the last search found a part of a loop so small that the victim may be faster alone (small_loops.hpp).
  bool was_small_part(std::int64_t now_ns, std::uint32_t begun) const noexcept {
    return last_ == what::part_of_loop && begun - begun_ <= 1 && now_ns - found_ns_ < longest_small_ns;
  }
  bool found_something() const noexcept { return last_ != what::nothing; }

  /// The next search is about to begin: how long it should wait. A search that found nothing, and one after tasks that were
  /// not stolen, say nothing about steals. `recorded`: a report or a trace is kept. Then a tiny task takes longer, and its steal costs
  /// the victim several times as much.
  std::int64_t pause_before_search(std::int64_t now_ns, std::uint32_t begun, bool recorded) noexcept {
    const bool stole_alone = last_ != what::nothing && begun - begun_ <= 1;
    const std::int64_t passed = now_ns - found_ns_;
    const bool tiny =
        stole_alone && (last_ == what::task ? passed < tiny_task_ns + recorded * recording_ns
                                            : loop_ns_ < tiny_part_ns && passed < longest_claims_ns);
    last_ = what::nothing;
    row_ = tiny ? std::min(row_ + 1, longest_row) : 0;
    if (row_ < row_before_pause) return 0;
    return (recorded ? recorded_shortest_ns : shortest_ns) << (row_ - row_before_pause);
  }

 private:
  enum class what : std::uint8_t { nothing, task, part_of_loop };

  /// Up to this length of each task of a group, two workers are no faster than one.
  static constexpr std::int64_t tiny_task_ns = 250;
  /// Recording a stolen task.
  static constexpr std::int64_t recording_ns = 600;
  /// The same for each half of a loop.
  static constexpr std::int64_t tiny_part_ns = 400;
  /// Claiming positions never takes longer than this.
  static constexpr std::int64_t longest_claims_ns = 20'000;
  /// Of a part, with its claims.
  static constexpr std::int64_t longest_small_ns = 10'000;
  /// The end of a long loop is stolen in smaller and smaller pieces. That is no reason to miss the next loop's beginning.
  static constexpr int row_before_pause = 16, longest_row = 20;
  static constexpr std::int64_t shortest_ns = 250, recorded_shortest_ns = 1000;

  std::int64_t found_ns_ = 0, loop_ns_ = 0;
  std::uint32_t begun_ = 0;
  what last_ = what::nothing;
  int row_ = 0;
};

}  // namespace skua::core
