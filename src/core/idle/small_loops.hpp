// Whether it pays to steal parts of a victim's small loops, found by trying. Such a steal halves what the victim computes, but
// moves its data to another cache and back. No time of a part tells which of the two is more: both threads wait for lines
// of the other one. So after a few such steals in a row the thief leaves the victim alone for a few microseconds, and counts
// in both cases how many tasks, loops and calls of external threads the victim begins in a time. As long as the victim is faster
// alone, the thief stays away. It looks often, and comes back as soon as the victim has become slower.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua::core {

/// For the holder of a worker only. Times are nanoseconds of any clock. `begun` is the number of tasks, loops and calls that
/// have begun at the victim.
class small_loops {
 public:
  enum class advice : std::uint8_t { unknown, steal, stay_away };

  /// A part of a small loop of `victim` was stolen and has been run. `begun()` is called rarely: its line is the victim's.
  template <class Begun>
  advice stole_part(std::uint32_t victim, Begun begun, std::int64_t now_ns) noexcept {
    if (victim != victim_) wanted_ = first_steals;
    const bool after_pause = now_ns - stolen_at_ns_ > longest_between_ns;  // then its rate says nothing
    stolen_at_ns_ = now_ns;
    if (victim != victim_ || after_pause) {
      victim_ = victim;
      begin(begun(), now_ns);
    }
    if (steals_++ < wanted_) return advice::steal;
    const std::uint32_t now_begun = begun();
    while_stealing_ = since(now_begun, now_ns);
    begin(now_begun, now_ns);
    alone_since_ns_ = now_ns;
    gained_ = false;
    wanted_ = first_steals;
    return while_stealing_.begun == 0 ? advice::unknown : advice::stay_away;
  }
  /// Another kind of task was stolen.
  void stole_other() noexcept { victim_ = none; }

  /// How long to stay away until goes_on() is asked: in that time the victim begins about eight tasks while it is stolen from.
  std::int64_t look_ns() const noexcept {
    return std::clamp(8 * while_stealing_.ns / while_stealing_.begun, shortest_look_ns, longest_look_ns);
  }
  /// That time has passed since stole_part() or since the last call: whether to stay away longer.
  bool goes_on(std::uint32_t begun, std::int64_t now_ns) noexcept {
    const progress alone = since(begun, now_ns);
    begin(begun, now_ns);
    // In numbers a time, alone / stealing > 1.25.
    const bool faster = 4 * std::int64_t{alone.begun} * while_stealing_.ns >
                        5 * std::int64_t{while_stealing_.begun} * alone.ns;
    if (faster) gained_ = true;
    wanted_ = gained_ ? steals_after_gain : steals_after_loss;
    if (!faster) return false;
    return now_ns - alone_since_ns_ < longest_alone_ns;
  }

 private:
  struct progress {
    std::uint32_t begun;
    std::int64_t ns;
  };
  progress since(std::uint32_t begun, std::int64_t now_ns) const noexcept {
    return {begun - begun_, std::max<std::int64_t>(now_ns - since_ns_, 1)};
  }
  void begin(std::uint32_t begun, std::int64_t now_ns) noexcept {
    begun_ = begun;
    since_ns_ = now_ns;
    steals_ = 0;
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t first_steals = 16;
  /// A pause in which the victim was no faster costs it the thief's help, so the next one comes late.
  static constexpr std::uint32_t steals_after_loss = 512;
  static constexpr std::uint32_t steals_after_gain = 4;
  static constexpr std::int64_t shortest_look_ns = 4'000, longest_look_ns = 40'000,
                                longest_between_ns = 100'000, longest_alone_ns = 1'000'000;

  std::uint32_t victim_ = none;
  std::uint32_t steals_ = 0, wanted_ = first_steals, begun_ = 0;
  std::int64_t since_ns_ = 0, alone_since_ns_ = 0, stolen_at_ns_ = 0;
  bool gained_ = false;  // by the pause
  progress while_stealing_{0, 1};
};

}  // namespace skua::core
