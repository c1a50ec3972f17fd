// Clustering of a stream of points: the leaves, the random numbers and the check. No scheduling.
//
// Each point is assigned to a centre. A centre costs z; a point costs its squared distance to its centre times its
// weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "workloads/common/vectorised.hpp"

namespace workloads {

/// POSIX's lrand48 after srand48(seed).
class posix_random {
 public:
  explicit posix_random(std::uint32_t seed) : state_(std::uint64_t{seed} << 16 | 0x330E) {}
  std::uint32_t next() {
    state_ = (0x5DEECE66D * state_ + 0xB) & 0xFFFFFFFFFFFF;
    return static_cast<std::uint32_t>(state_ >> 17);
  }
  float uniform() { return static_cast<float>(next()) / 2147483648.0F; }
  std::size_t below(std::size_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

struct cluster_points {
  std::size_t dimensions = 0;
  std::vector<float> coordinates = {};  // one row for each point
  std::vector<float> weight = {}, cost = {};
  std::vector<std::uint32_t> centre = {};  // index of the point that is the centre of this point
  std::vector<std::uint32_t> id = {};

  std::size_t size() const { return weight.size(); }
  const float* row(std::size_t i) const { return coordinates.data() + i * dimensions; }
  void add(const float* from, float its_weight, std::uint32_t its_id) {
    coordinates.insert(coordinates.end(), from, from + dimensions);
    weight.push_back(its_weight);
    cost.push_back(0);
    centre.push_back(static_cast<std::uint32_t>(centre.size()));
    id.push_back(its_id);
  }
};

namespace detail {

inline constexpr std::size_t distance_lanes = 8;
using distance_vector [[gnu::vector_size(distance_lanes * sizeof(float))]] = float;

/// Summed in 16 lanes on every machine, so the bits are the same everywhere.
[[gnu::always_inline]] inline float squared_distance(const float* a, const float* b, std::size_t dimensions) {
  distance_vector sum[2] = {};
  std::size_t i = 0;
  for (; i + 2 * distance_lanes <= dimensions; i += 2 * distance_lanes)
    for (std::size_t half = 0; half < 2; ++half) {
      distance_vector x, y;
      std::memcpy(&x, a + i + half * distance_lanes, sizeof x);
      std::memcpy(&y, b + i + half * distance_lanes, sizeof y);
      sum[half] += (x - y) * (x - y);
    }
  const distance_vector both = sum[0] + sum[1];
  float rest = 0;
  for (; i < dimensions; ++i) rest += (a[i] - b[i]) * (a[i] - b[i]);
  return ((both[0] + both[4]) + (both[1] + both[5])) + ((both[2] + both[6]) + (both[3] + both[7])) + rest;
}

}  // namespace detail

/// Assigns points [first, last) to x if it is nearer than their centre, or all of them if x is the first centre.
WORKLOADS_VECTORISED inline void cluster_attract(cluster_points& p, std::size_t first, std::size_t last,
                                                 std::size_t x, bool first_centre) {
  for (std::size_t i = first; i < last; ++i) {
    const float to_x = detail::squared_distance(p.row(i), p.row(x), p.dimensions) * p.weight[i];
    if (!first_centre && !(to_x < p.cost[i])) continue;
    p.cost[i] = to_x;
    p.centre[i] = static_cast<std::uint32_t>(x);
  }
}

/// Evaluates a centre at x for points [first, last). Marks the points that would move to it and returns their change of
/// cost, which is negative. What the other points would lose if their centre closes is subtracted from the saving of
/// closing it, lower[table[centre]].
WORKLOADS_VECTORISED inline double cluster_weigh(const cluster_points& p, std::size_t first, std::size_t last,
                                                 std::size_t x, const std::uint32_t* table,
                                                 std::uint8_t* moves, double* lower) {
  double opening = 0;
  for (std::size_t i = first; i < last; ++i) {
    const float to_x = detail::squared_distance(p.row(i), p.row(x), p.dimensions) * p.weight[i];
    moves[i] = to_x < p.cost[i];
    if (moves[i])
      opening += to_x - p.cost[i];
    else
      lower[table[p.centre[i]]] += p.cost[i] - to_x;
  }
  return opening;
}

/// Opens a centre at x for points [first, last): for the points that move, and for those whose centre closes because
/// that saves cost.
WORKLOADS_VECTORISED inline void cluster_open(cluster_points& p, std::size_t first, std::size_t last,
                                              std::size_t x, const std::uint32_t* table,
                                              const std::uint8_t* moves, const double* saved) {
  for (std::size_t i = first; i < last; ++i) {
    if (!moves[i] && !(saved[table[p.centre[i]]] > 0)) continue;
    p.cost[i] = p.weight[i] * detail::squared_distance(p.row(i), p.row(x), p.dimensions);
    p.centre[i] = static_cast<std::uint32_t>(x);
  }
}

/// Shuffles the points together with their rows.
inline void cluster_shuffle(cluster_points& p, posix_random& draw) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(order[i], order[i + draw.below(order.size() - i)]);
  cluster_points shuffled{.dimensions = p.dimensions};
  shuffled.coordinates.reserve(p.coordinates.size());
  for (const std::size_t i : order) shuffled.add(p.row(i), p.weight[i], p.id[i]);
  p = std::move(shuffled);
}

/// The points that may become centres, drawn by weight. Their number follows from the theory for `kmin` centres.
inline std::vector<std::size_t> cluster_feasible(const cluster_points& p, std::size_t kmin,
                                                 posix_random& draw) {
  const double k = static_cast<double>(kmin);
  std::vector<std::size_t> feasible(std::min(p.size(), static_cast<std::size_t>(3 * k * std::log(k))));
  std::iota(feasible.begin(), feasible.end(), std::size_t{0});
  if (feasible.size() == p.size()) return feasible;
  std::vector<float> up_to(p.size());
  std::partial_sum(p.weight.begin(), p.weight.end(), up_to.begin());
  for (std::size_t& chosen : feasible) {
    const float w = draw.uniform() * up_to.back();
    const auto found = std::upper_bound(up_to.begin(), up_to.end() - 1, w);
    chosen = static_cast<std::size_t>(found - up_to.begin());
  }
  return feasible;
}

/// Appends the centres of p to `centres`. Each lies at the mean of its points and has their weight.
inline void cluster_collect(const cluster_points& p, cluster_points& centres) {
  std::vector<std::size_t> place(p.size(), 0);
  for (const std::uint32_t c : p.centre) place[c] = 1;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (place[i] == 0) continue;
    place[i] = centres.size();
    centres.add(p.row(i), p.weight[i], p.id[i]);
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.centre[i] == i) continue;
    const std::size_t c = place[p.centre[i]];
    float& weight = centres.weight[c];
    const float share = p.weight[i] / (weight + p.weight[i]);
    float* const row = centres.coordinates.data() + c * p.dimensions;
    for (std::size_t d = 0; d < p.dimensions; ++d) row[d] = row[d] * (1 - share) + p.row(i)[d] * share;
    weight += p.weight[i];
  }
}

/// The sum of the costs of all points, computed again: from their centres, and from the nearest of all centres.
struct cluster_costs {
  double assigned = 0, nearest = 0;
};
inline cluster_costs cluster_recompute(const cluster_points& p) {
  std::vector<std::uint32_t> centres = p.centre;
  std::ranges::sort(centres);
  centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
  const auto cost = [&](std::size_t i, std::size_t c) {
    double sum = 0;
    for (std::size_t d = 0; d < p.dimensions; ++d) {
      const double difference = double{p.row(i)[d]} - double{p.row(c)[d]};
      sum += difference * difference;
    }
    return sum * double{p.weight[i]};
  };
  cluster_costs costs;
  for (std::size_t i = 0; i < p.size(); ++i) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const std::uint32_t c : centres) lowest = std::min(lowest, cost(i, c));
    costs.nearest += lowest;
    costs.assigned += cost(i, p.centre[i]);
  }
  return costs;
}

/// The ids and weights of the centres that PARSEC finds for its input, with 10 to 20 centres.
struct cluster_known {
  std::size_t dimensions, n;
  std::vector<std::uint32_t> ids;
  std::vector<float> weights;
};
inline const cluster_known* cluster_published(std::size_t dimensions, std::size_t n) {
  static const cluster_known known[] = {
      {16,
       512,
       {23, 59, 175, 290, 296, 301, 304, 343, 373, 383, 390, 440, 509},
       {45, 30, 34, 42, 46, 21, 43, 51, 45, 41, 25, 50, 39}},
      {32,
       4096,
       {25, 336, 603, 613, 797, 831, 1090, 1186, 1897, 2177, 2516, 2897, 3093},
       {357, 196, 293, 326, 732, 342, 210, 229, 257, 290, 237, 424, 203}}};
  for (const cluster_known& k : known)
    if (k.dimensions == dimensions && k.n == n) return &k;
  return nullptr;
}

}  // namespace workloads
