// Checkers: the rules, by counting moves; the search, compared with plain minimax; whole games on any number of workers.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/ck.hpp"

namespace workloads::ck_test {
namespace {

std::int64_t games_of(const ck_position& position, int plies) {
  const ck_moves moves = position.moves();
  if (plies == 1) return moves.count;
  std::int64_t all = 0;
  for (int i = 0; i < moves.count; ++i)
    all += games_of(position.after(moves.list[static_cast<std::size_t>(i)]), plies - 1);
  return all;
}

TEST(ck, games_from_the_start_as_published) {
  const std::int64_t known[] = {7, 49, 302, 1469, 7361, 36768, 180018, 844361};
  for (int plies = 1; plies <= 8; ++plies) EXPECT_EQ(games_of({}, plies), known[plies - 1]) << plies;
}

int minimax(const ck_position& position, int ply, int depth, std::int64_t& nodes) {
  ++nodes;
  const ck_node node(position, ply, depth);
  if (node.leaf) return node.value;
  int best = -ck_infinite;
  for (int i = 0; i < node.moves.count; ++i) {
    const ck_position next = position.after(node.moves.list[static_cast<std::size_t>(i)]);
    best = std::max(best, -minimax(next, ply + 1, depth - 1, nodes));
  }
  return best;
}

ck_choice best_of_start(int depth) {
  ck_killers killers;
  ck_sequential search(killers, [] { return false; });
  const auto value = [&](const ck_position& position, int ply, int ahead, int alpha, int beta) {
    return search.value(position, ply, ahead, alpha, beta);
  };
  return ck_best({}, depth, value);
}

TEST(ck, alpha_beta_is_minimax) {
  const std::int64_t known[] = {8, 86, 801, 4594, 24657, 132472};
  for (int depth = 1; depth <= 6; ++depth) {
    std::int64_t nodes = 0;
    EXPECT_EQ(minimax({}, 1, depth - 1, nodes), best_of_start(depth).score) << depth;
    EXPECT_EQ(nodes, known[depth - 1]) << depth;
  }
}

TEST(ck, the_first_move_is_the_same_at_any_search_depth) {
  for (int depth = 1; depth <= 9; ++depth) EXPECT_EQ(best_of_start(depth), (ck_choice{0, 0x5142})) << depth;
}

TEST(ck, games_as_published) {
  const int first[] = {0x5142, 0x2231, 0x5344, 0x3142, 0x6453, 0x1122,
                       0x4433, 0x2233, 0x5544, 0x11,   0x5746, 0x1322};
  struct {
    int black, white, score;
    std::array<int, 4> pieces;  // white men and kings, black men and kings
  } const known[] = {{3, 3, 14, {3, 2, 3, 1}}, {5, 5, -18, {0, 4, 4, 2}}, {7, 8, -8, {1, 2, 3, 1}}};
  for (const auto& k : known) {
    const ck_game game = ck_play_sequential(k.black, k.white);
    ASSERT_EQ(game.plies.size(), 120u);
    EXPECT_EQ(game.plies.back().score, k.score);
    EXPECT_EQ(ck_hash(game.plies), ck_known_hash(k.black, k.white));
    for (std::size_t ply = 0; ply < std::size(first); ++ply)
      EXPECT_EQ(game.plies[ply].move, first[ply]) << ply;
    const ck_position& end = game.end;
    EXPECT_EQ((std::array{end.count(ck_white_man), end.count(ck_white_king), end.count(ck_black_man),
                          end.count(ck_black_king)}),
              k.pieces);
  }
}

TEST(ck, the_game_does_not_depend_on_workers_or_grain) {
  for (const char* grain : {"0", "3", "12"}) {
    const auto program = find("ck")->make({.options = {{"black", "5"}, {"white", "6"}, {"grain", grain}}});
    for (const std::int64_t workers : any_number_of_workers) {
      skua::scheduler pool({.workers = workers});
      program->prepare();
      pool.run([&] { program->parallel(); });
      const answer_check v = program->verify();  // compares with the sequential game, which it plays once
      EXPECT_TRUE(v.correct) << v.message << ", " << workers << " workers, grain " << grain;
      program->flip_one();
      EXPECT_FALSE(program->verify().correct);
    }
  }
}

TEST(ck, refuses_what_it_cannot_search) {
  for (const auto& [option, value] : {std::pair{"black", "13"}, {"white", "0"}, {"grain", "-1"}})
    EXPECT_THROW(find("ck")->make({.options = {{option, value}}}), skua::bad_input) << option;
}

}  // namespace
}  // namespace workloads::ck_test
