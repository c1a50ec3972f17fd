// Shortest paths between all nodes of a graph: the leaf work, the input and the known answers. No scheduling.
//
// Distances are whole numbers in a row-major n x n matrix; `no_path` if there is no path. For every node k, the
// distance from i to j becomes the distance through k if that is shorter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"
#include "workloads/common/vectorised.hpp"

namespace workloads {

inline constexpr std::int32_t no_path = 1'000'000'000;  // the sum of two still fits an int32

/// A graph with an eighth of all possible edges, of lengths 1 .. 1000.
inline std::vector<std::int32_t> random_graph(std::uint64_t seed, std::size_t n) {
  std::vector<std::int32_t> edges(n * n, no_path);
  for (std::size_t k = 0; k < n * n; ++k)
    if ((random_at(seed, k) & 7) == 0) edges[k] = 1 + static_cast<std::int32_t>(below_at(seed, k, 1000));
  for (std::size_t i = 0; i < n; ++i) edges[i * n + i] = 0;
  return edges;
}

/// Does rows [first, last) of the step for node k. Row k itself does not change, so other tasks may read it at the same
/// time.
WORKLOADS_VECTORISED inline void floyd_warshall_rows(std::int32_t* distances, std::size_t n, std::size_t k,
                                                     std::size_t first, std::size_t last) {
  const std::int32_t* __restrict over = distances + k * n;
  for (std::size_t i = first; i < last; ++i) {
    std::int32_t* __restrict row = distances + i * n;
    const std::int32_t to_k = row[k];
    if (i == k || to_k == no_path) continue;
    for (std::size_t j = 0; j < n; ++j) row[j] = std::min(row[j], to_k + over[j]);
  }
}

inline void floyd_warshall_sequential(std::int32_t* distances, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) floyd_warshall_rows(distances, n, k, 0, n);
}

/// The distances from one node by Dijkstra's algorithm (1959), to check the answer with a different algorithm.
inline std::vector<std::int32_t> distances_from(std::span<const std::int32_t> edges, std::size_t n,
                                                std::size_t source) {
  std::vector<std::int32_t> distance(n, no_path);
  std::vector<bool> done(n, false);
  distance[source] = 0;
  for (std::size_t round = 0; round < n; ++round) {
    std::size_t nearest = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!done[i] && (nearest == n || distance[i] < distance[nearest])) nearest = i;
    if (distance[nearest] == no_path) break;
    done[nearest] = true;
    for (std::size_t j = 0; j < n; ++j)
      if (edges[nearest * n + j] != no_path)
        distance[j] = std::min(distance[j], distance[nearest] + edges[nearest * n + j]);
  }
  return distance;
}

struct distances_known {
  std::int64_t sum;
  std::int32_t largest;
  std::uint64_t hash;

  bool operator==(const distances_known&) const = default;
};
inline distances_known distances_tally(std::span<const std::int32_t> distances) {
  return {std::accumulate(distances.begin(), distances.end(), std::int64_t{0}),
          *std::max_element(distances.begin(), distances.end()), hash_sequence(distances)};
}
/// The published answer for random_graph(42, n); its sum is 0 if there is none.
inline distances_known distances_published(std::size_t n) {
  switch (n) {
    case 128:
      return {5287150, 834, 0x2e80cb7afd3909c1};
    case 256:
      return {13388875, 617, 0x1674e4dec2b53cc2};
    case 1024:
      return {66006567, 171, 0x8d476f7b77658a98};
    case 1536:
      return {109635226, 132, 0xa03ebd4c79464853};
  }
  return {};
}

}  // namespace workloads
