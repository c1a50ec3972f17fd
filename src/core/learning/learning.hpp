// What the first run of a learnt region records: how its tasks fork at each level, and which memory they declare.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/platform/process_fork.hpp"

namespace skua::core {

class learner {
 public:
  static constexpr std::size_t max_levels = 64;

  /// Records that a task of this level has forked two children.
  void forked(std::uint32_t level) noexcept {
    forks_[level < max_levels ? level : max_levels - 1].fetch_add(1, std::memory_order_relaxed);
  }
  /// Records that a task of this level declares memory.
  void touched(std::uint32_t level, std::uintptr_t begin, std::size_t bytes);

  std::uint32_t depth() const noexcept;
  /// Children of one task: the median growth from level to level, down to the level with the most tasks.
  std::size_t branching() const;
  /// Distinct bytes.
  std::size_t bytes() const;
  /// Bytes that the tasks of each level declare, from level 0 to the last level that declares any. Bytes that are
  /// declared several times count each time.
  std::vector<std::uint64_t> bytes_by_level() const;

 private:
  std::array<std::atomic<std::uint64_t>, max_levels> forks_{}, declared_{};
  mutable fork_safe_lock mutex_;
  std::map<std::uintptr_t, std::uintptr_t> touched_;  // disjoint ranges: begin -> end
};

}  // namespace skua::core
