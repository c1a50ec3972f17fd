// Where a worker's time goes: at every moment it does one thing of a few (skua::doing), and a stopwatch adds up how long.
//
//   watch.start(doing::asleep, ticks());
//   watch.to(doing::user, ticks());      // what was done until now was sleep
//   watch.read(ticks());                 // by anybody, at any time
//
// Whoever holds the worker's place turns it; others may read. Times are in ticks, whose length the reader knows.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <skua/report.hpp>

namespace skua::observe {

class stopwatch {
 public:
  using sums = std::array<std::uint64_t, doing_count>;

  /// Until it is started it says that it is off, and nobody need turn it.
  bool on() const noexcept { return on_; }
  void start(doing first, std::uint64_t now) noexcept {
    does_.store(first, std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
    on_ = true;
  }
  doing does() const noexcept { return does_.load(std::memory_order_relaxed); }
  std::uint64_t since() const noexcept { return since_.load(std::memory_order_relaxed); }

  void to(doing next, std::uint64_t now) noexcept {
    const std::uint64_t since = since_.load(std::memory_order_relaxed);
    auto& sum = sums_[static_cast<std::size_t>(does())];
    // Counters of two CPUs may differ a little.
    if (now > since)
      sum.store(sum.load(std::memory_order_relaxed) + (now - since), std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
    does_.store(next, std::memory_order_relaxed);
  }

  /// All that is over, and what goes on until `now`.
  sums read(std::uint64_t now) const noexcept {
    sums all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums_[i].load(std::memory_order_relaxed);
    const std::uint64_t since = since_.load(std::memory_order_relaxed);
    if (on_ && now > since) all[static_cast<std::size_t>(does())] += now - since;
    return all;
  }
  void clear(std::uint64_t now) noexcept {
    for (auto& sum : sums_) sum.store(0, std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
  }

 private:
  bool on_ = false;
  std::atomic<doing> does_{doing::asleep};
  std::atomic<std::uint64_t> since_{0};
  std::array<std::atomic<std::uint64_t>, doing_count> sums_{};
};

}  // namespace skua::observe
