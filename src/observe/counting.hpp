// Counters of one worker. One thread at a time adds, others may read, so additions are a load and a store. clear()
// remembers the counter's value, because a concurrent addition could overwrite a zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <skua/report.hpp>

namespace skua::observe {

class count {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void clear() noexcept { before_.store(value_.load(std::memory_order_relaxed), std::memory_order_relaxed); }
  std::uint64_t read() const noexcept {
    const std::uint64_t before = before_.load(std::memory_order_relaxed);
    return value_.load(std::memory_order_relaxed) - before;
  }

 private:
  std::atomic<std::uint64_t> value_{0}, before_{0};
};

/// A maximum. A number that is added while another thread clears it may stay.
class largest {
 public:
  void at_least(std::uint64_t n) noexcept {
    if (n > value_.load(std::memory_order_relaxed)) value_.store(n, std::memory_order_relaxed);
  }
  void clear() noexcept { value_.store(0, std::memory_order_relaxed); }
  std::uint64_t read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct counting {
  count forks, group_tasks, own_tasks, attempts, steals, remote_attempts, remote_steals, suspensions, sleeps,
      asleep_ns;
  largest stacks;
  std::unique_ptr<count[]> by_distance;
  std::size_t levels = 0;

  void start(std::size_t distance_levels);
  void clear() noexcept;
  counters read() const;
};

}  // namespace skua::observe
