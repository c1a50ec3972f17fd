// The hardware events of one worker by activity (skua::activity): differences of readings of its thread.
//
//   if (log.did(activity::user, ticks, activity::looking, now)) log.take(thread, reading of it, now);
//   log.of(0)[static_cast<std::size_t>(activity::user)]  // by any thread, at any time
//
// A reading may cost more than an activity between two changes. So readings have a minimum distance, and the events of an
// interval are divided among the activities by the time spent on each. The result is exact for long activities. Events of
// the thread while it did not hold the worker do not count, nor those of falling asleep and waking. The thread that holds
// the worker writes.
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

/// Values of one thread since its counters were opened, in the order of the events' names; the time (ns) for which it wanted
/// the processor's counters, and for which it had them.
struct hardware_reading {
  std::array<std::uint64_t, max_hardware_events> values{};
  std::uint64_t wanted_ns = 0, had_ns = 0;
};

class hardware_log {
 public:
  /// Readings are needed only after it is turned on.
  bool on() const noexcept { return on_; }
  void turn_on(std::uint64_t ticks_apart) noexcept {
    on_ = true;
    ticks_apart_ = ticks_apart;
  }

  /// The worker did `done` for `ticks` until now, and does `next` from now on. Returns whether a reading is due.
  bool did(activity done, std::uint64_t ticks, activity next, std::uint64_t now) noexcept {
    if (done != activity::asleep) spent_[static_cast<std::size_t>(done)] += ticks;
    return done == activity::asleep || next == activity::asleep || anew_ || now - read_at_ >= ticks_apart_;
  }

  /// Whether the last reading is so long ago that another one is due.
  bool is_due(std::uint64_t now) const noexcept { return on_ && (anew_ || now - read_at_ >= ticks_apart_); }
  /// The events since the last reading do not count.
  void forget() noexcept {
    thread_ = 0;
    spent_ = {};
    anew_ = true;
  }

  /// Another thread holds the worker now, perhaps in the middle of a search. Its counts begin with its first reading, which
  /// is due now.
  void begin_anew() noexcept { anew_ = true; }

  /// `thread`: a unique number of the thread that was read; 0: a thread that is not counted.
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

  /// The counts of one event, by activity.
  std::array<std::uint64_t, activity_count> of(std::size_t event) const noexcept {
    std::array<std::uint64_t, activity_count> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums_[i][event].read();
    return all;
  }
  std::uint64_t wanted_ns() const noexcept { return wanted_ns_.read(); }
  std::uint64_t had_ns() const noexcept { return had_ns_.read(); }
  /// The number of due readings of threads that are not counted.
  std::uint64_t lacking() const noexcept { return lacking_.read(); }

  void clear() noexcept {
    for (auto& sums : sums_)
      for (count& sum : sums) sum.clear();
    wanted_ns_.clear();
    had_ns_.clear();
    lacking_.clear();
  }

 private:
  // A counter that shared the processor with others may show a slightly smaller value.
  static std::uint64_t passed(std::uint64_t before, std::uint64_t now) noexcept {
    return now - std::min(before, now);
  }

  void share_out(const hardware_reading& reading) noexcept {
    std::array<std::uint64_t, max_hardware_events> left;
    for (std::size_t e = 0; e < left.size(); ++e) left[e] = passed(before_.values[e], reading.values[e]);
    std::uint64_t ticks_left = std::accumulate(spent_.begin(), spent_.end(), std::uint64_t{0});
    if (ticks_left == 0) return;  // it was asleep
    for (std::size_t i = 0; i < spent_.size(); ++i) {
      if (spent_[i] == 0) continue;
      // A share of what is left, so that the last activity gets the rest.
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
