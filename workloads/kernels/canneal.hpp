// Placing the elements of a circuit by simulated annealing: the circuit, what a move changes, and the known answers. No
// scheduling.
//
// Elements lie on a grid of X x Y places. An empty place holds an element without wires. Each wire connects an element
// and one of its inputs along the grid; the cost is the length of all wires. A move swaps two elements.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"

namespace workloads {

/// The column and row of a place, in one word.
using canneal_place = std::uint32_t;

struct canneal_circuit {
  std::uint32_t elements = 0, nx = 1, ny = 1;
  // Element i is wired to wires[start[i]] .. wires[start[i + 1]]: its inputs and the elements whose input it is.
  std::vector<std::uint32_t> start, wires;

  std::uint32_t places() const { return nx * ny; }
  std::span<const std::uint32_t> wired(std::uint32_t id) const {
    return {wires.data() + start[id], wires.data() + start[id + 1]};
  }
};

/// The place of each element, indexed by its number.
inline canneal_place canneal_place_at(const canneal_circuit& c, std::uint32_t index) {
  return (index / c.ny) << 16 | index % c.ny;
}
inline std::uint32_t canneal_index_of(const canneal_circuit& c, canneal_place place) {
  return (place >> 16) * c.ny + (place & 0xffff);
}
inline std::int64_t canneal_distance(canneal_place a, canneal_place b) {
  const auto column = [](canneal_place p) { return static_cast<std::int32_t>(p >> 16); };
  const auto row = [](canneal_place p) { return static_cast<std::int32_t>(p & 0xffff); };
  return std::abs(column(a) - column(b)) + std::abs(row(a) - row(b));
}

/// Builds a circuit from wires. Each wire is a pair (element, input).
inline canneal_circuit canneal_wired(std::uint32_t elements, std::uint32_t nx, std::uint32_t ny,
                                     std::span<const std::pair<std::uint32_t, std::uint32_t>> wires) {
  canneal_circuit c{elements, nx, ny, {}, {}};
  c.start.assign(c.places() + 1u, 0);
  c.wires.resize(2 * wires.size());
  for (const auto& [a, b] : wires) ++c.start[a + 1], ++c.start[b + 1];
  std::partial_sum(c.start.begin(), c.start.end(), c.start.begin());
  std::vector<std::uint32_t> next = c.start;
  for (const auto& [a, b] : wires) c.wires[next[a]++] = b, c.wires[next[b]++] = a;
  return c;
}

/// A random circuit of `n` elements. Each element but the first has five inputs among those before it.
inline canneal_circuit canneal_random(std::uint64_t seed, std::uint32_t n) {
  std::uint64_t side = 1;  // at least a tenth of the places stay empty
  while (side * side * 1000 < std::uint64_t{n} * 1095) ++side;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wires;
  wires.reserve(5 * std::size_t{n});
  for (std::uint32_t i = 1; i < n; ++i)
    for (std::uint64_t q = 0; q < 5; ++q)
      wires.emplace_back(i, static_cast<std::uint32_t>(below_at(seed, 5 * std::uint64_t{i} + q, i)));
  return canneal_wired(n, static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(side), wires);
}

/// The length of all wires. place_of(id) gives the place of an element.
template <class PlaceOf>
std::int64_t canneal_cost(const canneal_circuit& c, PlaceOf place_of) {
  std::int64_t both_ends = 0;
  for (std::uint32_t id = 0; id < c.places(); ++id)
    for (const std::uint32_t other : c.wired(id))
      both_ends += canneal_distance(place_of(id), place_of(other));
  return both_ends / 2;
}

struct canneal_move {
  std::uint32_t a, b;
  double luck;  // in [0, 1)
};
/// Makes a move from a number that no other move of the run has. `chained`: its first element is the second element of
/// the move before.
inline canneal_move canneal_draw(std::uint64_t seed, std::uint64_t number, std::uint32_t places,
                                 std::optional<std::uint32_t> chained = {}) {
  const std::uint64_t k = 3 * number;
  const std::uint32_t a = chained ? *chained : static_cast<std::uint32_t>(below_at(seed, k, places));
  std::uint32_t b = static_cast<std::uint32_t>(below_at(seed, k + 1, places));
  if (a == b) b = (b + 1) % places;
  return {a, b, uniform_at(seed, k + 2)};
}

struct canneal_change {
  std::int64_t judged;  // each element for itself, as if the other one did not move
  std::int64_t real;    // includes the wires between the two, which keep their length
};
template <class PlaceOf>
canneal_change canneal_evaluate(const canneal_circuit& c, std::uint32_t a, std::uint32_t b,
                                PlaceOf place_of) {
  const canneal_place at_a = place_of(a), at_b = place_of(b);
  std::int64_t change = 0, between = 0;
  for (const std::uint32_t other : c.wired(a)) {
    const canneal_place there = place_of(other);
    change += canneal_distance(at_b, there) - canneal_distance(at_a, there);
    between += other == b;
  }
  for (const std::uint32_t other : c.wired(b)) {
    const canneal_place there = place_of(other);
    change += canneal_distance(at_a, there) - canneal_distance(at_b, there);
  }
  return {change, change + 2 * between * canneal_distance(at_a, at_b)};
}

inline bool canneal_accepts(std::int64_t change, double temperature, double luck) {
  return change < 0 || std::exp(-static_cast<double>(change) / temperature) > luck;
}

struct canneal_plan {
  std::uint64_t seed;  // for the moves
  int steps;
  std::uint32_t moves;  // in each step
  double temperature;

  /// The number of move m in step 1, 2, ...
  std::uint64_t number(int step, std::uint32_t m) const {
    return static_cast<std::uint64_t>(step) * moves + m;
  }
};

/// The counts of a run.
struct canneal_tally {
  std::int64_t judged = 0, accepted = 0, applied = 0, change = 0;

  friend canneal_tally operator+(const canneal_tally& x, const canneal_tally& y) {
    return {x.judged + y.judged, x.accepted + y.accepted, x.applied + y.applied, x.change + y.change};
  }
  bool operator==(const canneal_tally&) const = default;
};

/// Makes moves [first, last) of a step one after another, each starting from the result of the last. `places` has
/// at(id) and swap(a, b). If other threads swap at the same time, judgements become slightly wrong; nothing else goes
/// wrong.
template <class Places>
canneal_tally canneal_moves(const canneal_circuit& c, Places& places, const canneal_plan& plan, int step,
                            double temperature, std::uint32_t first, std::uint32_t last) {
  canneal_tally tally;
  std::optional<std::uint32_t> chained;
  for (std::uint32_t m = first; m < last; ++m) {
    const canneal_move move = canneal_draw(plan.seed, plan.number(step, m), c.places(), chained);
    chained = move.b;
    const canneal_change change =
        canneal_evaluate(c, move.a, move.b, [&](std::uint32_t id) { return places.at(id); });
    ++tally.judged;
    if (!canneal_accepts(change.judged, temperature, move.luck)) continue;
    places.swap(move.a, move.b);
    ++tally.accepted, ++tally.applied;
    tally.change += change.real;
  }
  return tally;
}

/// The number of moves in a chain. The next chain starts with a new element.
inline constexpr std::uint32_t canneal_chain = 64;

/// PARSEC's mode on one core: every accepted move is made at once.
inline canneal_tally canneal_racy_sequential(const canneal_circuit& c, std::vector<canneal_place>& places,
                                             const canneal_plan& plan) {
  struct plain {
    std::vector<canneal_place>& places;
    canneal_place at(std::uint32_t id) const { return places[id]; }
    void swap(std::uint32_t a, std::uint32_t b) { std::swap(places[a], places[b]); }
  } all{places};
  canneal_tally tally;
  double temperature = plan.temperature;
  for (int step = 1; step <= plan.steps; ++step) {
    temperature /= 1.5;
    for (std::uint32_t first = 0; first < plan.moves; first += canneal_chain)
      tally = tally + canneal_moves(c, all, plan, step, temperature, first,
                                    std::min(first + canneal_chain, plan.moves));
  }
  return tally;
}

/// The deterministic mode, move by move: all moves of a step are judged by the placement at its beginning. An accepted
/// move is made if it is the first to claim both of its elements.
inline canneal_tally canneal_sequential(const canneal_circuit& c, std::vector<canneal_place>& places,
                                        const canneal_plan& plan) {
  canneal_tally tally;
  double temperature = plan.temperature;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> accepted;
  std::vector<int> taken_in(c.places(), 0);  // the last step in which a move claimed this element
  const auto place_of = [&](std::uint32_t id) { return places[id]; };
  for (int step = 1; step <= plan.steps; ++step) {
    temperature /= 1.5;
    accepted.clear();
    for (std::uint32_t m = 0; m < plan.moves; ++m) {
      const canneal_move move = canneal_draw(plan.seed, plan.number(step, m), c.places());
      if (canneal_accepts(canneal_evaluate(c, move.a, move.b, place_of).judged, temperature, move.luck))
        accepted.emplace_back(move.a, move.b);
    }
    tally.judged += plan.moves;
    tally.accepted += static_cast<std::int64_t>(accepted.size());
    for (const auto& [a, b] : accepted) {
      const bool first = taken_in[a] != step && taken_in[b] != step;
      taken_in[a] = taken_in[b] = step;
      if (!first) continue;
      std::swap(places[a], places[b]);
      ++tally.applied;
    }
  }
  return tally;
}

/// Puts every element at the place of its number.
inline std::vector<canneal_place> canneal_in_order(const canneal_circuit& c) {
  std::vector<canneal_place> places(c.places());
  for (std::uint32_t id = 0; id < c.places(); ++id) places[id] = canneal_place_at(c, id);
  return places;
}

/// Published answers for the deterministic mode, with circuits of seed 42 and moves of seed 43.
struct canneal_known {
  std::uint32_t n;
  int steps;
  std::uint32_t moves;
  int temperature;
  std::int64_t before, accepted, applied, after;
  std::uint64_t places;
};
inline const canneal_known* canneal_published(std::uint32_t n, int steps, std::uint32_t moves,
                                              int temperature) {
  static constexpr canneal_known runs[] = {
      {100, 10, 100, 300, 2877, 786, 275, 3156, 0xca183c07e5ec092bu},
      {1000, 20, 1000, 300, 92522, 6880, 3242, 75710, 0xd176a67864e8455cu},
      {10000, 50, 10000, 2000, 2934373, 101326, 48374, 2087299, 0x536a685624458d24u},
      {100000, 20, 15000, 2000, 92868124, 93341, 82867, 85766438, 0xc3dddf1611dc1915u},
      {100000, 100, 15000, 2000, 92868124, 191896, 178025, 72753293, 0x80942c2b77729040u}};
  for (const canneal_known& run : runs)
    if (run.n == n && run.steps == steps && run.moves == moves && run.temperature == temperature) return &run;
  return nullptr;
}

/// Places that threads may swap at any time, like PARSEC's atomic pointers. A thread that swaps holds the place of the
/// smaller element for a few instructions; other threads wait for it.
class canneal_shared_places {
 public:
  explicit canneal_shared_places(std::vector<canneal_place>& places) : places_(places) {}

  canneal_place at(std::uint32_t id) const {
    canneal_place seen = word(id).load(std::memory_order_relaxed);
    while (seen == held) {
      std::this_thread::yield();
      seen = word(id).load(std::memory_order_relaxed);
    }
    return seen;
  }
  // The smaller element always comes first, so threads cannot wait in a circle. Only the word itself is read, so
  // relaxed is enough.
  void swap(std::uint32_t a, std::uint32_t b) {
    if (b < a) std::swap(a, b);
    canneal_place of_a = at(a);
    while (!word(a).compare_exchange_weak(of_a, held, std::memory_order_relaxed)) of_a = at(a);
    canneal_place of_b = at(b);
    while (!word(b).compare_exchange_weak(of_b, of_a, std::memory_order_relaxed)) of_b = at(b);
    word(a).store(of_b, std::memory_order_relaxed);
  }

 private:
  static constexpr canneal_place held =
      ~canneal_place{0};  // not a valid place: a grid has at most 65535 rows
  std::atomic_ref<canneal_place> word(std::uint32_t id) const { return std::atomic_ref(places_[id]); }

  std::vector<canneal_place>& places_;
};

}  // namespace workloads
