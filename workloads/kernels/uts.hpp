// Unbalanced tree search: the definition of the trees. No scheduling.
//
// A node is 20 bytes, made from its parent's bytes by SHA-1. Its bytes determine the number of its children. So any
// worker can generate any subtree, and the size of a subtree is unpredictable.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "workloads/common/sha1.hpp"

namespace workloads {

struct uts_node {
  sha1_digest state;
  int depth = 0;
};

struct uts_tree {
  enum { geometric, binomial } shape = geometric;
  double root_children = 4;  // geometric: average number for every node
  int depth = 10;            // geometric: nodes this deep have no children
  double probability = 0;    // binomial: probability that a node other than the root has children ...
  int children = 0;          // ... and their number
  std::uint32_t seed = 19;
};

/// The trees of the UTS distribution used here. T1 cut to depth 6 is for quick checks.
inline constexpr uts_tree uts_t1{uts_tree::geometric, 4, 10, 0, 0, 19};
inline constexpr uts_tree uts_t1_short{uts_tree::geometric, 4, 6, 0, 0, 19};
inline constexpr uts_tree uts_t3{uts_tree::binomial, 2000, 0, 0.124875, 8, 42};

struct uts_tally {
  std::int64_t nodes = 0, leaves = 0;
  int depth = 0;
  friend uts_tally operator+(const uts_tally& a, const uts_tally& b) {
    return {a.nodes + b.nodes, a.leaves + b.leaves, std::max(a.depth, b.depth)};
  }
  bool operator==(const uts_tally&) const = default;
};

inline uts_node uts_root(const uts_tree& tree) {
  std::array<std::uint8_t, 20> message = {};
  put_big_endian(&message[16], tree.seed);
  return {sha1_short(message), 0};
}

inline uts_node uts_child(const uts_node& parent, int i) {
  std::array<std::uint8_t, 24> message;
  std::copy(parent.state.begin(), parent.state.end(), message.begin());
  put_big_endian(&message[20], static_cast<std::uint32_t>(i));
  return {sha1_short(message), parent.depth + 1};
}

inline int uts_children(const uts_tree& tree, const uts_node& node) {
  const double u = static_cast<double>(get_big_endian(&node.state[16]) & 0x7fffffff) / 2147483648.0;
  if (tree.shape == uts_tree::binomial) {
    if (node.depth == 0) return static_cast<int>(tree.root_children);
    return u < tree.probability ? tree.children : 0;
  }
  if (node.depth >= tree.depth) return 0;
  return std::min(100,
                  static_cast<int>(std::floor(std::log(1 - u) / std::log(1 - 1 / (1 + tree.root_children)))));
}

inline uts_tally uts_sequential(const uts_tree& tree, const uts_node& node) {
  const int children = uts_children(tree, node);
  uts_tally tally{1, children == 0, node.depth};
  for (int i = 0; i < children; ++i) tally = tally + uts_sequential(tree, uts_child(node, i));
  return tally;
}

/// The known answers for the trees above. `nodes` is 0 for any other tree.
inline uts_tally uts_known(const uts_tree& tree) {
  const auto is = [&](const uts_tree& other) {
    return tree.shape == other.shape && tree.depth == other.depth && tree.seed == other.seed;
  };
  if (is(uts_t1)) return {4130071, 3305118, 10};
  if (is(uts_t1_short)) return {16000, 12839, 6};
  if (is(uts_t3)) return {4112897, 3599034, 1572};
  return {};
}

}  // namespace workloads
