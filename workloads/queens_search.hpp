// The parallel searches of queens. Counting forks over children; finding uses a group of tasks.
#pragma once

#include <atomic>
#include <cstdint>

#include <skua/skua.hpp>

#include "workloads/kernels/queens.hpp"

namespace workloads {

// A task makes its board from its parent's board. It reads only the rows with queens there.
inline void queens_declare_copy(const queens_pairwise& parent, queens_pairwise& child) {
  skua::reads(parent.columns.data(), static_cast<std::size_t>(parent.rows));
  skua::writes(child.columns.data(), static_cast<std::size_t>(child.rows));
}
inline void queens_declare_copy(const queens_bitmask& parent, queens_bitmask& child) {
  skua::reads(&parent, 1);
  skua::writes(&child, 1);
}

template <class Board>
queens_tally queens_count_parallel(const Board& board, int cutoff);

template <class Board>
queens_tally queens_count_child(const Board& parent, int column, int cutoff) {
  Board child = parent.with(column);
  queens_declare_copy(parent, child);
  return queens_count_parallel(child, cutoff);
}

/// Counts the subtrees of the safe columns from `column` on.
template <class Board>
queens_tally queens_count_children(const Board& board, int column, int cutoff) {
  while (column < board.n && !board.safe(column)) ++column;
  if (column == board.n) return {};
  auto [child, others] =
      skua::join([&board, column, cutoff] { return queens_count_child(board, column, cutoff); },
                 [&board, column, cutoff] { return queens_count_children(board, column + 1, cutoff); });
  return child + others;
}

// Cycles for one node, of the searches alone (bench/leaf_costs.cpp): with bit masks, and with the pairwise test.
constexpr double queens_cycles(const queens_bitmask&) { return 20; }
constexpr double queens_cycles(const queens_pairwise&) { return 340; }

/// Counts a subtree sequentially. It touches only its own board, which declare_copy has declared.
template <class Board>
queens_tally queens_count_leaf(const Board& board) {
  const queens_tally counted = queens_count(board);
  skua::costs(queens_cycles(board) * static_cast<double>(counted.nodes));
  return counted;
}

template <class Board>
queens_tally queens_count_parallel(const Board& board, int cutoff) {
  if (board.complete() || board.rows >= cutoff) return queens_count_leaf(board);
  return queens_tally{0, 1} + queens_count_children(board, 0, cutoff);
}

/// Searches for any solution.
class queens_finder {
 public:
  queens_finder(int n, int cutoff) : n_(n), cutoff_(cutoff) {}

  queens_pairwise find() {
    visit({n_});
    tasks_.wait();
    return answer_;
  }
  /// The number of tasks that are inside the search; 0 after find() has returned.
  int running() const { return running_; }

 private:
  void visit(const queens_pairwise& board) {
    ++running_;
    skua::writes(board.columns.data(),
                 static_cast<std::size_t>(board.n));  // its own board, which its children read
    if (board.complete() || board.rows >= cutoff_) {
      std::int64_t nodes = 0;
      queens_pairwise found = board;
      if (queens_find(found, nodes, [] { return skua::cancelled(); })) finish(found);
      skua::costs(queens_cycles(board) * static_cast<double>(nodes));
    } else {
      for (int column = 0; column < board.n; ++column)
        if (board.safe(column)) tasks_.run([this, next = board.with(column)] { visit(next); });
    }
    --running_;
  }

  void finish(const queens_pairwise& found) {
    if (!done_.exchange(true)) answer_ = found;
    tasks_.cancel();
  }

  int n_, cutoff_;
  queens_pairwise answer_;
  std::atomic<bool> done_ = false;
  std::atomic<int> running_ = 0;
  skua::task_group tasks_;
};

}  // namespace workloads
