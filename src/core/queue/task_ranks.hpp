// The tasks of a backlog by priority: the first one is the one with the greatest priority, and among equals the oldest.
//
// Programs mostly use one priority, or a few, or add tasks in the order of their priorities. So there are some runs, each in
// order. A rank is added to the end of the first run in which it comes last. That and taking it cost the same however many
// tasks there are. What fits into no run is in a heap: O(log tasks).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace skua::core {

struct task_rank {
  bool favoured;  // by the last search
  std::int64_t priority;
  std::uint64_t number;  // a greater one: a newer task
  /// Whether the other one comes first.
  bool operator<(const task_rank& other) const noexcept {
    if (favoured != other.favoured) return other.favoured;
    return priority != other.priority ? priority < other.priority : number > other.number;
  }
};

class task_ranks {
 public:
  std::size_t size() const noexcept { return size_; }

  /// Throws std::bad_alloc, and is as before then.
  void add(const task_rank& rank);
  /// The rank that comes first; null when there is none.
  const task_rank* first() noexcept;
  /// Removes the result of first(), after which nothing was added.
  void drop_first() noexcept;

  /// Replaces all ranks by `n` others, rank_of(0) to rank_of(n - 1). Needs no memory; `n` is at most size().
  template <class RankOf>
  void replace(std::size_t n, RankOf rank_of) {
    std::size_t done = 0;
    const auto fill = [&](std::vector<task_rank>& with) {
      with.resize(std::min(with.capacity(), n - done));
      for (task_rank& one : with) one = rank_of(done++);
    };
    for (run& r : runs_) {
      r.taken = 0;
      fill(r.ranks);
      const auto comes_first = [](const task_rank& a, const task_rank& b) { return b < a; };
      if (!std::ranges::is_sorted(r.ranks, comes_first)) std::ranges::sort(r.ranks, comes_first);
    }
    fill(heap_);
    std::ranges::make_heap(heap_, std::less<>());
    size_ = n;
  }

 private:
  struct run {
    std::vector<task_rank> ranks;  // the first one comes first
    std::size_t taken = 0;         // of its beginning
    bool empty() const noexcept { return taken == ranks.size(); }
    const task_rank& first() const noexcept { return ranks[taken]; }
    void drop_first() noexcept;
  };

  std::array<run, 4> runs_;
  std::vector<task_rank> heap_;
  std::size_t size_ = 0;
  run* first_in_ = nullptr;  // the run in which first() found its result; null: the heap
};

}  // namespace skua::core
