// Rudimentary checkers: the board, the moves, a sequential alpha-beta search and whole games. No scheduling.
//
// Squares are numbered row * 16 + column, so a number with a bit of 0x88 is off the board. Black moves first, towards
// row 0; white moves towards row 7. A turn is one step or one jump, never two jumps. A side that can jump must jump. A
// move is from << 8 | to; for a jump, `to` is the square of the captured piece.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "workloads/common/hash.hpp"

namespace workloads {

enum ck_piece : std::int8_t { ck_black_king = -2, ck_black_man, ck_empty, ck_white_man, ck_white_king };

struct ck_moves {
  int count = 0;
  bool jumps = false;  // all moves are jumps
  std::array<std::int16_t, 48> list;

  void add(int from, int to) {
    list[static_cast<std::size_t>(count++)] = static_cast<std::int16_t>(from << 8 | to);
  }
  /// Puts `move` first if the list has it. The order of the others stays.
  void put_first(int move) {
    const auto found = std::find(list.begin(), list.begin() + count, move);
    if (found != list.begin() + count) std::rotate(list.begin(), found, found + 1);
  }
};

class ck_position {
 public:
  ck_position() {
    for (int row = 0; row < 8; ++row)
      for (int column = row % 2; column < 8; column += 2)
        at(row * 16 + column) = row < 3 ? ck_white_man : row > 4 ? ck_black_man : ck_empty;
  }

  /// The legal moves, by square and direction. If there are none, the game is lost.
  ck_moves moves() const {
    ck_moves all;
    for (int row = 0; row < 8; ++row)
      for (int column = row % 2; column < 8; column += 2) {
        const int from = row * 16 + column;
        if (at(from) * side_ > 0) add_moves(from, all);
      }
    return all;
  }

  ck_position after(int move) const {
    ck_position next = *this;
    const int from = move >> 8;
    int to = move & 0xff;
    if (next.at(to) != ck_empty) {  // a jump
      next.balance_ += side_ * worth(next.at(to));
      next.at(to) = ck_empty;
      to += to - from;
    }
    std::int8_t piece = next.at(from);
    if (std::abs(piece) == ck_white_man && to >> 4 == (side_ > 0 ? 7 : 0)) {
      piece = static_cast<std::int8_t>(2 * piece);
      next.balance_ += side_ * (king_worth - man_worth);
    }
    next.at(from) = ck_empty;
    next.at(to) = piece;
    next.side_ = -side_;
    return next;
  }

  /// The balance of material for the side to move.
  int value() const { return side_ * balance_; }
  int count(ck_piece piece) const {
    return static_cast<int>(std::count(squares_.begin(), squares_.end(), piece));
  }

 private:
  static constexpr int man_worth = 10, king_worth = 12;
  static int worth(int piece) { return std::abs(piece) == ck_white_man ? man_worth : king_worth; }

  std::int8_t at(int square) const { return squares_[static_cast<std::size_t>(square)]; }
  std::int8_t& at(int square) { return squares_[static_cast<std::size_t>(square)]; }

  void add_moves(int from, ck_moves& all) const {
    static constexpr int white[] = {15, 17, -17, -15}, black[] = {-15, -17, 15, 17};  // forward ones first
    const int* const directions = side_ > 0 ? white : black;
    const int reach = std::abs(at(from)) == ck_white_man ? 2 : 4;
    for (int d = 0; d < reach; ++d) {
      const int to = from + directions[d], behind = to + directions[d];
      if (to & 0x88) continue;
      if (at(to) == ck_empty) {
        if (!all.jumps) all.add(from, to);
      } else if (at(to) * side_ < 0 && !(behind & 0x88) && at(behind) == ck_empty) {
        if (!all.jumps) all.count = 0;
        all.jumps = true;
        all.add(from, to);
      }
    }
  }

  std::array<std::int8_t, 128> squares_ = {};
  int side_ = -1;    // white 1, black -1
  int balance_ = 0;  // material of white minus that of black
};

inline constexpr int ck_lost = 100000, ck_infinite = 900000, ck_plies = 120, ck_deepest = 12;

/// The move that was last found best at each ply, which is tried first. All searches of a game share these moves; a
/// stale one does no harm.
class ck_killers {
 public:
  int at(int ply) const { return moves_[static_cast<std::size_t>(ply)].load(std::memory_order_relaxed); }
  void set(int ply, int move) {
    if (at(ply) != move) moves_[static_cast<std::size_t>(ply)].store(move, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<int>, 64> moves_ = {};  // a search ends after ck_deepest plies and 24 jumps
};

/// The value of a node that needs no look at its children, if it has one.
struct ck_node {
  ck_moves moves;
  bool leaf = true;
  int value = 0;

  ck_node(const ck_position& position, int ply, int depth) : moves(position.moves()) {
    if (moves.count == 0)
      value = ply - ck_lost;
    else if (depth < 0 && !moves.jumps)
      value = position.value();
    else
      leaf = false;
  }
};

/// Alpha-beta, fail-soft. stop() is called at nodes that are not close to the end. After it has returned true, the
/// value is meaningless.
template <class Stop>
class ck_sequential {
 public:
  ck_sequential(ck_killers& killers, Stop stop) : killers_(killers), stop_(stop) {}
  std::int64_t nodes() const { return nodes_; }

  int value(const ck_position& position, int ply, int depth, int alpha, int beta) {
    ++nodes_;
    ck_node node(position, ply, depth);
    if (node.leaf || (depth > 0 && stop_())) return node.value;
    node.moves.put_first(killers_.at(ply));
    int best = -ck_infinite;
    for (int i = 0; i < node.moves.count; ++i) {
      const int move = node.moves.list[static_cast<std::size_t>(i)];
      const int found = -value(position.after(move), ply + 1, depth - 1, -beta, -std::max(alpha, best));
      if (found <= best) continue;
      best = found;
      killers_.set(ply, move);
      if (best >= beta) break;
    }
    return best;
  }

 private:
  ck_killers& killers_;
  Stop stop_;
  std::int64_t nodes_ = 0;
};

struct ck_choice {
  int score = 0, move = 0;
  bool operator==(const ck_choice&) const = default;
};

/// The best move of a position that has a move, looking `depth` plies ahead. Among equal moves, the first in order.
/// `value_of(position, ply, depth, alpha, beta)` searches the position after a move.
template <class Value>
ck_choice ck_best(const ck_position& position, int depth, Value& value_of) {
  const ck_moves moves = position.moves();
  ck_choice best{-ck_infinite, 0};
  for (int i = 0; i < moves.count; ++i) {
    const int move = moves.list[static_cast<std::size_t>(i)];
    const int found = -value_of(position.after(move), 2, depth - 2, -ck_infinite, -best.score);
    if (found > best.score) best = {found, move};
  }
  return best;
}

struct ck_game {
  std::vector<ck_choice> plies;
  ck_position end;
};

/// Plays a whole game in which black looks `black` plies ahead and white `white`. A search looks less far first, then
/// further.
template <class Value>
ck_game ck_play(int black, int white, Value value_of) {
  ck_game game;
  for (int ply = 0; ply < ck_plies && game.end.moves().count != 0; ++ply) {
    ck_choice best = ck_best(game.end, 1, value_of);
    const bool won = best.score > 1000;
    for (int depth = 2; depth <= (ply % 2 == 0 ? black : white) && std::abs(best.score) <= 1000; ++depth)
      best = ck_best(game.end, depth, value_of);
    game.plies.push_back(best);
    game.end = game.end.after(best.move);
    if (won) break;
  }
  return game;
}

inline ck_game ck_play_sequential(int black, int white) {
  ck_killers killers;
  ck_sequential search(killers, [] { return false; });
  return ck_play(black, white, [&](const ck_position& position, int ply, int depth, int alpha, int beta) {
    return search.value(position, ply, depth, alpha, beta);
  });
}

/// hash_sequence of scores and moves.
inline std::uint64_t ck_hash(std::span<const ck_choice> plies) {
  std::vector<std::uint64_t> words;
  for (const ck_choice& ply : plies)
    words.push_back(std::uint64_t{static_cast<std::uint32_t>(ply.score)} << 32 |
                    static_cast<std::uint32_t>(ply.move));
  return hash_sequence(words);
}

/// The hash of a published game, else 0.
inline std::uint64_t ck_known_hash(int black, int white) {
  if (black == 3 && white == 3) return 0x79286743ba2c88b9;
  if (black == 5 && white == 5) return 0x5991e767b97c427e;
  if (black == 7 && white == 8) return 0xdc6b05f1719aa9f9;
  if (black == 9 && white == 9) return 0x5e6ff1010938af4e;
  if (black == 10 && white == 10) return 0x04c2a8f5864f7193;
  return 0;
}

}  // namespace workloads
