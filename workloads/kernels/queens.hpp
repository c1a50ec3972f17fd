// n queens: boards, both tests for a safe square, and the sequential searches. No scheduling.
//
// A node of the search is a board with queens in its first rows. Every search here counts its nodes, including the
// empty board and complete boards. The count must not depend on the schedule.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace workloads {

inline constexpr int queens_max = 20;  // rows of the largest board

struct queens_tally {
  std::int64_t solutions = 0;
  std::int64_t nodes = 0;
  friend queens_tally operator+(queens_tally a, queens_tally b) {
    return {a.solutions + b.solutions, a.nodes + b.nodes};
  }
  bool operator==(const queens_tally&) const = default;
};

/// Whether a queen may stand at `column` of row `rows` when all rows before have a queen. Checks each of them, O(rows),
/// as in Cilk's example and in the papers.
template <class Columns>
bool queen_safe(const Columns& columns, int rows, int column) {
  for (int row = 0; row < rows; ++row) {
    const int apart = columns[static_cast<std::size_t>(row)] - column;
    if (apart == 0 || apart == rows - row || apart == row - rows) return false;
  }
  return true;
}

/// The columns of the queens in the first `rows` rows, with that test.
struct queens_pairwise {
  int n = 0, rows = 0;
  std::array<std::int8_t, queens_max> columns = {};

  bool complete() const { return rows == n; }
  bool safe(int column) const { return queen_safe(columns, rows, column); }
  queens_pairwise with(int column) const {
    queens_pairwise next = *this;
    next.columns[static_cast<std::size_t>(next.rows++)] = static_cast<std::int8_t>(column);
    return next;
  }
};

/// The same as three bit masks of attacked columns: a test is one instruction and a board has 24 bytes.
struct queens_bitmask {
  int n = 0, rows = 0;
  std::uint32_t taken = 0, falling = 0, rising = 0;

  bool complete() const { return rows == n; }
  bool safe(int column) const { return ((taken | falling | rising) >> column & 1) == 0; }
  queens_bitmask with(int column) const {
    const std::uint32_t bit = 1u << column;
    return {n, rows + 1, taken | bit, (falling | bit) << 1, (rising | bit) >> 1};
  }
};

template <class Board>
queens_tally queens_count(const Board& board) {
  if (board.complete()) return {1, 1};
  queens_tally tally{0, 1};
  for (int column = 0; column < board.n; ++column)
    if (board.safe(column)) tally = tally + queens_count(board.with(column));
  return tally;
}

/// With bit masks the loop visits only safe columns.
template <>
inline queens_tally queens_count(const queens_bitmask& board) {
  if (board.complete()) return {1, 1};
  queens_tally tally{0, 1};
  std::uint32_t free = ((1u << board.n) - 1) & ~(board.taken | board.falling | board.rising);
  for (; free != 0; free &= free - 1) tally = tally + queens_count(board.with(std::countr_zero(free)));
  return tally;
}

/// Finds the first solution in lexicographic order below `board` and stores it there. stop() is called at every node
/// and ends the search if it returns true. `nodes` is increased by the number of visited nodes.
template <class Stop>
bool queens_find(queens_pairwise& board, std::int64_t& nodes, Stop&& stop) {
  ++nodes;
  if (stop()) return false;
  if (board.complete()) return true;
  for (int column = 0; column < board.n; ++column)
    if (board.safe(column))
      if (queens_pairwise next = board.with(column); queens_find(next, nodes, stop)) {
        board = next;
        return true;
      }
  return false;
}

/// Whether the board is complete and no queen attacks another.
inline bool queens_solved(const queens_pairwise& board) {
  queens_pairwise prefix{board.n};
  for (int row = 0; row < board.rows; ++row) {
    const int column = board.columns[static_cast<std::size_t>(row)];
    if (column < 0 || column >= board.n || !prefix.safe(column)) return false;
    prefix = prefix.with(column);
  }
  return board.n > 0 && board.complete();
}

/// Known answers: the numbers of solutions for n = 1 .. 20, and of nodes for some n, else 0.
inline std::int64_t queens_solutions(int n) {
  constexpr std::int64_t known[] = {1,      1,       0,        0,        2,         10,         4,
                                    40,     92,      352,      724,      2680,      14200,      73712,
                                    365596, 2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};
  return known[n];
}
inline std::int64_t queens_nodes(int n) {
  switch (n) {
    case 6:
      return 153;
    case 8:
      return 2057;
    case 10:
      return 35539;
    case 12:
      return 856189;
    case 13:
      return 4674890;
    case 14:
      return 27358553;
    case 15:
      return 171129072;
    case 16:
      return 1141190303;
  }
  return 0;
}

}  // namespace workloads
