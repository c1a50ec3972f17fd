// The times of a worker by activity. A worker is always in one activity (skua::activity); a stopwatch adds up their
// times.
//
//   watch.start(activity::asleep, ticks());
//   watch.to(activity::user, ticks());   // the activity until now was sleep
//   watch.read(ticks());                 // by any thread, at any time
//
// The thread that holds the worker's place switches it. Other threads may read and reset it (new_beginning.hpp). Times
// are in ticks; the reader converts them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include <skua/report.hpp>

#include "observe/new_beginning.hpp"

namespace skua::observe {

class stopwatch {
 public:
  using sums = std::array<std::uint64_t, activity_count>;

  /// Off until it is started. It need not be switched before that.
  bool on() const noexcept { return on_; }
  void start(activity first, std::uint64_t now) noexcept {
    does_.store(first, std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
    on_ = true;
  }
  activity does() const noexcept { return does_.load(std::memory_order_relaxed); }
  std::uint64_t since() const noexcept {
    return std::max(since_.load(std::memory_order_relaxed), beginning_.at());
  }

  void to(activity next, std::uint64_t now) noexcept {
    const std::uint64_t from = since();
    auto& sum = sums_[static_cast<std::size_t>(does())];
    // The tick counters of two CPUs may differ slightly.
    if (now > from) sum.store(sum.load(std::memory_order_relaxed) + (now - from), std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
    does_.store(next, std::memory_order_relaxed);
  }

  /// The times of all past activities and of the current one until `now`.
  sums read(std::uint64_t now) const noexcept {
    sums all{};
    if (!is_to_begin())
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums_[i].load(std::memory_order_relaxed);
    const std::uint64_t from = since();
    if (on_ && now > from) all[static_cast<std::size_t>(does())] += now - from;
    return all;
  }

  /// Resets the times: what was before `now` no longer counts. One caller at a time.
  void begin_anew(std::uint64_t now) noexcept { beginning_.ask(now); }
  std::uint64_t begin_at() const noexcept { return beginning_.at(); }
  /// Whether a reset was requested that the owner has not done yet.
  bool is_to_begin() const noexcept { return beginning_.is_due(); }
  /// For the owner, before a switch. On a reset it calls clear(), for data that are reset together with the times.
  template <class Clear>
  void begin_if_due(Clear clear) noexcept {
    beginning_.if_due([&] {
      for (auto& sum : sums_) sum.store(0, std::memory_order_relaxed);
      clear();
    });
  }

 private:
  bool on_ = false;
  std::atomic<activity> does_{activity::asleep};
  std::atomic<std::uint64_t> since_{0};
  new_beginning<plain_platform> beginning_;
  std::array<std::atomic<std::uint64_t>, activity_count> sums_{};
};

}  // namespace skua::observe
