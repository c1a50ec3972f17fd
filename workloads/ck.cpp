// ck: plays a whole game of rudimentary checkers. Both sides search some plies ahead by alpha-beta.
//
// Tasks: at a node of the search the first move is searched alone, for the bounds that it gives, and the others in
// parallel, as a group. If a move is too good for the opponent to allow it (its value reaches beta), it cancels its
// siblings: those that have not started never start, and the others stop at their next node. Bounds that one sibling
// finds help those that start later. So the set of visited nodes and the values of bad moves depend on the schedule;
// the best move and its value do not. The moves of the root are searched one after another. With fewer than `grain`
// plies left, a task searches sequentially; `grain=0` makes every node a task.
// Paper: Cilk's example of a speculative search with aborts. CAB's evaluation uses it as a program that no cache can
// help.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/ck.hpp"

namespace workloads {
namespace {

constexpr double cycles_of_node = 155;  // calibrated on one worker

class ck_search {
 public:
  explicit ck_search(int grain) : grain_(grain) {}

  int operator()(const ck_position& position, int ply, int depth, int alpha, int beta) {
    if (depth < grain_) return leaf(position, ply, depth, alpha, beta);
    ck_node node(position, ply, depth);
    skua::reads(&position, 1);
    skua::writes(&killers_, 1);
    skua::costs(cycles_of_node);
    if (node.leaf) return node.value;
    node.moves.put_first(killers_.at(ply));
    std::atomic<int> best = -ck_infinite;
    skua::task_group siblings;
    const auto search = [&, ply, depth, alpha, beta](int move) {
      const int bound = std::max(alpha, best.load(std::memory_order_relaxed));
      ck_position next = position.after(move);
      skua::reads(&position, 1);
      skua::writes(&next, 1);
      const int found = -(*this)(next, ply + 1, depth - 1, -beta, -bound);
      // A cancelled search has no result.
      if (skua::cancelled() || !raise(best, found)) return;
      killers_.set(ply, move);
      if (found >= beta) siblings.cancel();
    };
    search(node.moves.list[0]);
    if (best >= beta) return best;
    // The waiting task runs the last task first, so the most promising moves are added last.
    for (int i = node.moves.count - 1; i > 0; --i)
      siblings.run([&search, move = node.moves.list[static_cast<std::size_t>(i)]] { search(move); });
    siblings.wait();
    return best;
  }

 private:
  int leaf(const ck_position& position, int ply, int depth, int alpha, int beta) {
    ck_sequential search(killers_, [] { return skua::cancelled(); });
    const int value = search.value(position, ply, depth, alpha, beta);
    skua::reads(&position, 1);
    skua::writes(&killers_, 1);
    skua::costs(cycles_of_node * static_cast<double>(search.nodes()));
    return value;
  }

  /// Returns whether it is the largest so far.
  static bool raise(std::atomic<int>& best, int found) {
    int now = best.load(std::memory_order_relaxed);
    while (found > now)
      if (best.compare_exchange_weak(now, found, std::memory_order_relaxed)) return true;
    return false;
  }

  int grain_;
  ck_killers killers_;
};

class ck_program : public program {
 public:
  explicit ck_program(const parameters& asked)
      : black_(static_cast<int>(asked.number("black", asked.pick(3, 10, 10), 1, ck_deepest))),
        white_(static_cast<int>(asked.number("white", asked.pick(3, 10, 10), 1, ck_deepest))),
        grain_(static_cast<int>(asked.number("grain", asked.pick(1, 4, 4), 0, ck_deepest))) {}

  void prepare() override { game_ = {}; }
  void sequential() override { game_ = ck_play_sequential(black_, white_); }
  void parallel() override {
    ck_search search(grain_ == 0 ? -ck_plies : grain_);
    game_ = ck_play(black_, white_, std::ref(search));
  }
  answer_check verify() override {
    if (!expected_) expected_ = ck_known_hash(black_, white_);
    const bool published = expected_ != 0;
    if (!published) expected_ = ck_hash(ck_play_sequential(black_, white_).plies);
    if (game_.plies.empty()) return {false, "no game was played"};
    const std::string text = std::to_string(game_.plies.size()) + " plies, value of the last " +
                             std::to_string(game_.plies.back().score) + "; at the end " +
                             side(ck_white_man, ck_white_king) + " for white, " +
                             side(ck_black_man, ck_black_king) + " for black";
    if (ck_hash(game_.plies) != expected_)
      return {false, text + ", but the " + (published ? "published" : "sequential") + " game is different"};
    return {true, text + (published ? ", as published" : "")};
  }
  void flip_one() override {
    if (!game_.plies.empty()) game_.plies.back().score ^= 1;
  }

 private:
  std::string side(ck_piece man, ck_piece king) const {
    return std::to_string(game_.end.count(man)) + " men and " + std::to_string(game_.end.count(king)) +
           " kings";
  }

  int black_, white_, grain_;
  ck_game game_;
  std::optional<std::uint64_t> expected_;
};

}  // namespace

extern const workload ck_workload{
    .name = "ck",
    .summary = "play a game of checkers: alpha-beta search that cancels moves it need not evaluate",
    .ci = "3 plies ahead",
    .med = "10 plies ahead",
    .paper = "10 plies ahead; CAB does not give the depth (next to no memory)",
    .options = {{"black", "1 .. 12", "plies that black looks ahead"},
                {"white", "1 .. 12", "plies that white looks ahead"},
                {"grain", "0 .. 12", "the search is sequential with fewer plies left than this"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<ck_program>(asked);
    }};

}  // namespace workloads
