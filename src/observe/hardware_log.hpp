// Hardware counters of one worker by activity (skua::activity): the differences between readings of its thread.
//
//   if (log.did(activity::user, ticks, activity::looking, now)) log.take(thread, reading of it, now);
//   log.of(0)[static_cast<std::size_t>(activity::user)]  // by any thread, at any time
//
// A reading may cost more than a short activity. So readings are some time apart, and the difference between two
// readings is divided among the activities in proportion to their time. Counts of long activities are exact. Counts do
// not include what a thread did before it took the worker's place, nor going to sleep and waking.
// The thread that holds the worker's place writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <skua/report.hpp>

#include "observe/counting.hpp"

namespace skua::observe {

inline constexpr std::size_t max_hardware_events = 4;

/// The counters of one thread since they were opened: values in the order of the events' names; the time in ns for
/// which counting was requested, and the part of it in which the processor's counters were available.
struct hardware_reading {
  std::array<std::uint64_t, max_hardware_events> values{};
  std::uint64_t wanted_ns = 0, had_ns = 0;
};

class hardware_log {
 public:
  /// No readings are needed until the log is turned on.
  bool on() const noexcept { return on_; }
  void turn_on(std::uint64_t ticks_apart) noexcept {
    on_ = true;
    ticks_apart_ = ticks_apart;
  }

  /// The worker was in activity `done` for a number of ticks until now, and is in `next` from now on. Returns whether a
  /// reading is due.
  bool did(activity done, std::uint64_t ticks, activity next, std::uint64_t now) noexcept {
    if (done != activity::asleep) spent_[static_cast<std::size_t>(done)] += ticks;
    return done == activity::asleep || next == activity::asleep || anew_ || now - read_at_ >= ticks_apart_;
  }

  /// Another thread has taken the worker's place, possibly during a search. Its counts start with its first reading,
  /// which is due now.
  void begin_anew() noexcept { anew_ = true; }

  /// `thread` is a number that no other thread ever has; 0 stands for a thread without counters.
  void take(std::uint64_t thread, const hardware_reading& reading, std::uint64_t now) noexcept {
    if (thread == 0)
      lacking_.add();
    else if (thread == thread_)
      share_out(reading);
    thread_ = thread;
    before_ = reading;
    read_at_ = now;
    anew_ = false;
    spent_ = {};
  }

  /// The counts of one event by activity.
  std::array<std::uint64_t, activity_count> of(std::size_t event) const noexcept {
    std::array<std::uint64_t, activity_count> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums_[i][event].read();
    return all;
  }
  std::uint64_t wanted_ns() const noexcept { return wanted_ns_.read(); }
  std::uint64_t had_ns() const noexcept { return had_ns_.read(); }
  /// The number of readings that were due for threads without counters.
  std::uint64_t lacking() const noexcept { return lacking_.read(); }

  void clear() noexcept {
    for (auto& sums : sums_)
      for (count& sum : sums) sum.clear();
    wanted_ns_.clear();
    had_ns_.clear();
    lacking_.clear();
  }

 private:
  // A multiplexed counter may be slightly lower than at the previous reading.
  static std::uint64_t passed(std::uint64_t before, std::uint64_t now) noexcept {
    return now - std::min(before, now);
  }

  void share_out(const hardware_reading& reading) noexcept {
    std::array<std::uint64_t, max_hardware_events> left;
    for (std::size_t e = 0; e < left.size(); ++e) left[e] = passed(before_.values[e], reading.values[e]);
    std::uint64_t ticks_left = std::accumulate(spent_.begin(), spent_.end(), std::uint64_t{0});
    if (ticks_left == 0) return;  // the worker slept all the time
    for (std::size_t i = 0; i < spent_.size(); ++i) {
      if (spent_[i] == 0) continue;
      // A share of the remainder, so that the last activity gets the rest and the sum is exact.
      const double share = static_cast<double>(spent_[i]) / static_cast<double>(ticks_left);
      ticks_left -= spent_[i];
      for (std::size_t e = 0; e < left.size(); ++e) {
        const std::uint64_t part =
            ticks_left == 0 ? left[e] : static_cast<std::uint64_t>(share * static_cast<double>(left[e]));
        sums_[i][e].add(part);
        left[e] -= part;
      }
    }
    wanted_ns_.add(passed(before_.wanted_ns, reading.wanted_ns));
    had_ns_.add(passed(before_.had_ns, reading.had_ns));
  }

  bool on_ = false;
  bool anew_ = false;
  std::uint64_t ticks_apart_ = 0, read_at_ = 0;
  std::uint64_t thread_ = 0;
  hardware_reading before_;
  std::array<std::uint64_t, activity_count> spent_{};  // since the last reading
  std::array<std::array<count, max_hardware_events>, activity_count> sums_;
  count wanted_ns_, had_ns_, lacking_;
};

}  // namespace skua::observe
