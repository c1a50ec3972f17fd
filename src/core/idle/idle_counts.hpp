// How many workers search and how many sleep. In a large scheduler every worker changes the number of searchers for every
// steal, so one word for all of them would be the busiest line of the machine. There the searchers are counted in a tree:
// neighbours form a group, groups form larger groups, and each group has a word. A group with a searcher counts as one
// searcher in the word of the larger group, so only the first searcher of a group and the last one go on to the larger group.
// Sleepers are counted in the root. (A scalable non-zero indicator, after Ellen, Lev, Luchangco and Moir, 2007.) Without
// use_groups() all workers are one group, whose word is the root.
//
// While the first searcher of a group is on its way to the root, later searchers of the group are done before the root shows
// any of them. So the root may show too few searchers for a short time, even none while one searches. It never shows too few
// sleepers. src/core/idle/sleep.md tells why that is enough. Checked by tests/model/idle_counts_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace skua::core {

/// Searching workers look for work; sleeping workers must be woken. With groups `searching` counts the largest groups.
struct idle_count {
  std::uint32_t searching;
  std::uint32_t sleeping;
  bool any() const { return searching != 0 || sleeping != 0; }
};

template <class P, std::size_t GroupSize = 8>
class idle_counts {
  static_assert(GroupSize > 1);

 public:
  idle_counts() { root_.store(0, std::memory_order_relaxed); }

  /// From now on there are groups, if there are enough workers. Before any worker searches or sleeps.
  void use_groups(std::size_t workers) {
    for (std::size_t members = workers; members > GroupSize; members = groups_of(members)) ++levels_;
    std::size_t groups = 0;
    for (std::size_t l = 0, members = workers; l < levels_; ++l) groups += members = groups_of(members);
    if (levels_ != 0) groups_.reset(new group[groups]);
    for (std::size_t g = 0; g < groups; ++g) groups_[g].word.store(0, std::memory_order_relaxed);
    first_level_ = groups_of(workers);
  }

  /// seq_cst: partner of add_sleeper().
  idle_count read() const { return unpack(root_.load(std::memory_order_seq_cst)); }

  void begin_search(std::size_t worker) {
    if (first_of_groups(worker)) root_.fetch_add(one_searching, std::memory_order_relaxed);
  }

  /// True when the root showed no other searcher, and sleepers.
  bool end_search(std::size_t worker) {
    if (!last_of_groups(worker)) return false;
    const idle_count before = unpack(root_.fetch_sub(one_searching, std::memory_order_relaxed));
    return before.searching == 1 && before.sleeping != 0;
  }

  /// A searcher becomes a sleeper. With groups it counts as both for a moment.
  void falls_asleep(std::size_t worker) {
    if (levels_ == 0) {
      root_.fetch_add(one_sleeping - one_searching, std::memory_order_relaxed);
      return;
    }
    root_.fetch_add(one_sleeping, std::memory_order_relaxed);
    if (last_of_groups(worker)) root_.fetch_sub(one_searching, std::memory_order_relaxed);
  }

  /// A sleeper becomes a searcher. With groups the root may show neither for a moment, as told above.
  void wakes(std::size_t worker) {
    if (levels_ == 0) {
      root_.fetch_add(one_searching - one_sleeping, std::memory_order_relaxed);
      return;
    }
    begin_search(worker);
    root_.fetch_sub(one_sleeping, std::memory_order_relaxed);
  }

  /// Something that is neither becomes a sleeper, or the reverse. seq_cst: partner of read().
  void add_sleeper() { root_.fetch_add(one_sleeping, std::memory_order_seq_cst); }
  void remove_sleeper() { root_.fetch_sub(one_sleeping, std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t one_searching = 1;
  static constexpr std::uint64_t one_sleeping = std::uint64_t{1} << 32;

  static idle_count unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  static std::size_t groups_of(std::size_t members) { return (members + GroupSize - 1) / GroupSize; }

  /// `change(word)` for the worker's group and the larger ones, until it returns false. Whether it returned true for all.
  template <class Change>
  bool up(std::size_t member, Change change) {
    group* level = groups_.get();
    for (std::size_t l = 0, groups = first_level_; l < levels_; ++l, groups = groups_of(groups)) {
      member /= GroupSize;
      if (!change(level[member].word)) return false;
      level += groups;
    }
    return true;
  }

  bool first_of_groups(std::size_t worker) {
    return up(worker, [](auto& word) { return word.fetch_add(1, std::memory_order_relaxed) == 0; });
  }
  // acq_rel: what a searcher has added to a larger group comes before what the last one of its group takes away there.
  bool last_of_groups(std::size_t worker) {
    return up(worker, [](auto& word) { return word.fetch_sub(1, std::memory_order_acq_rel) == 1; });
  }

  struct alignas(128) group {
    typename P::template atomic<std::uint32_t> word;
  };

  std::size_t levels_ = 0;           // of groups below the root
  std::size_t first_level_ = 0;      // groups in the lowest level
  std::unique_ptr<group[]> groups_;  // the lowest level first
  alignas(128) typename P::template atomic<std::uint64_t> root_;
};

}  // namespace skua::core
