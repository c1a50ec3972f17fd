// queens: places n queens on an n x n board, no two in the same row, column or diagonal. Counts all solutions, or finds
// any one.
//
// Tasks: a node of the search is a board with queens in its first rows; every safe column of the next row is a child.
// Counting forks over the children and adds their counts. Finding runs each child as a task of one group. The task that
// completes a board cancels the group: tasks that have not started never start, the others stop at their next node. The
// search is sequential below `cutoff` rows; `cutoff=none` makes every node a task.
// Paper: Cilk's example (Frigo, Leiserson and Randall, 1998), whose safe-square test is `test=pairwise`; CAB's
// evaluation uses it as a program that no cache can help. CAB's queens(20) can only be the search for one solution.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/queens_search.hpp"

namespace workloads {
namespace {

class queens_program : public program {
 public:
  explicit queens_program(const parameters& asked)
      : pairwise_(asked.choice("test", {"bitmask", "pairwise"}) == "pairwise") {
    const std::string mode = asked.choice("mode", {"default", "count", "first"});
    const bool counts = mode == "count" || (mode == "default" && asked.size != size_class::paper);
    const bool finds = mode == "first" || (mode == "default" && asked.size != size_class::med);
    if (counts)
      count_n_ = static_cast<int>(asked.number("n", asked.pick(10, pairwise_ ? 13 : 16, 16), 1, queens_max));
    if (finds) first_n_ = static_cast<int>(mode == "first" ? asked.number("n", 20, 1, queens_max) : 20);
    if (first_n_ != 0 && queens_solutions(first_n_) == 0)
      throw skua::bad_input(
          "n is '" + std::to_string(first_n_) +
          "'; allowed with mode=first: 1, or 4 to 20, since 2 and 3 have no solution; nearest: " +
          (first_n_ == 2 ? "1" : "4"));
    count_cutoff_ = cutoff(asked, count_n_);
    first_cutoff_ = cutoff(asked, first_n_);
  }

  void prepare() override {
    tally_ = {};
    board_ = {};
    left_running_ = 0;
  }
  void sequential() override {
    if (count_n_)
      tally_ = pairwise_ ? queens_count(queens_pairwise{count_n_}) : queens_count(queens_bitmask{count_n_});
    if (!first_n_) return;
    std::int64_t nodes = 0;
    board_ = {first_n_};
    queens_find(board_, nodes, [] { return false; });
  }
  void parallel() override {
    if (count_n_)
      tally_ = pairwise_ ? queens_count_parallel(queens_pairwise{count_n_}, count_cutoff_)
                         : queens_count_parallel(queens_bitmask{count_n_}, count_cutoff_);
    if (!first_n_) return;
    queens_finder search(first_n_, first_cutoff_);
    board_ = search.find();
    left_running_ = search.running();
  }
  answer_check verify() override;
  void flip_one() override {
    if (count_n_)
      ++tally_.solutions;
    else
      board_.columns[0] = static_cast<std::int8_t>(first_n_);  // outside of the board, so the answer is wrong
  }

 private:
  static int cutoff(const parameters& asked, int n) {
    if (asked.text("cutoff", "") == "none") return queens_max;
    return static_cast<int>(asked.number("cutoff", n <= 14 ? 4 : 5, 0, queens_max));
  }

  bool pairwise_;
  int count_n_ = 0, first_n_ = 0;  // 0: not requested
  int count_cutoff_ = 0, first_cutoff_ = 0;
  queens_tally tally_;
  queens_pairwise board_;
  int left_running_ = 0;
};

answer_check queens_program::verify() {
  std::string text;
  if (count_n_) {
    text = std::to_string(tally_.solutions) + " solutions for " + std::to_string(count_n_) + " queens in " +
           std::to_string(tally_.nodes) + " nodes";
    std::int64_t nodes = queens_nodes(count_n_);
    if (nodes == 0 && count_n_ < 12) nodes = queens_count(queens_bitmask{count_n_}).nodes;
    if (tally_.solutions != queens_solutions(count_n_) || (nodes != 0 && tally_.nodes != nodes))
      return {false, text + ", but there are " + std::to_string(queens_solutions(count_n_)) + " in " +
                         (nodes == 0 ? "an unknown number of" : std::to_string(nodes)) + " nodes"};
  }
  if (first_n_) {
    text += text.empty() ? "found" : "; found";
    for (int row = 0; row < board_.rows; ++row)
      text.append(" ").append(std::to_string(board_.columns[static_cast<std::size_t>(row)]));
    if (board_.n != first_n_ || !queens_solved(board_)) return {false, text + ", which is not a solution"};
    if (left_running_ != 0)
      return {false, std::to_string(left_running_) + " tasks were still running after the search"};
  }
  return {true, text};
}

}  // namespace

extern const workload queens_workload{
    .name = "queens",
    .summary = "n queens: count all solutions, or find one and cancel the rest",
    .ci = "count for n = 10 and find one solution for n = 20",
    .med = "count for n = 16 (n = 13 with test=pairwise)",
    .paper = "find one solution for n = 20 (next to no memory)",
    .options = {{"mode", "default|count|first",
                 "count all solutions or find the first; the default depends on the size"},
                {"n", "1 .. 20", "queens; mode=first excludes 2 and 3"},
                {"test", "bitmask|pairwise", "test for a safe square"},
                {"cutoff", "0 .. 20 or none", "the search is sequential below this many rows"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<queens_program>(asked);
    }};

}  // namespace workloads
