// The convex hull of points in the plane: the leaves of quickhull, its inputs and checks. No scheduling.
//
// Coordinates are whole numbers below 2^28, so the side of a line on which a point lies is computed exactly. A hull is
// the list of its corners, counter-clockwise from the lexicographically smallest. No corner lies on the line between
// its neighbours.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"

namespace workloads {

struct hull_point {
  std::int32_t x, y;
  auto operator<=>(const hull_point&) const = default;
};
using hull_points = std::span<hull_point>;
inline constexpr std::int64_t hull_side = 1 << 28;  // the square that all points lie in

/// Twice the area of the triangle a, b, p; positive if p lies to the right of the direction from a to b.
inline std::int64_t hull_beyond(hull_point a, hull_point b, hull_point p) {
  return std::int64_t{b.y - a.y} * (p.x - a.x) - std::int64_t{b.x - a.x} * (p.y - a.y);
}

// Inputs: point i is a function of i.

inline hull_point hull_in_square(std::uint64_t seed, std::uint64_t i, std::uint64_t attempt = 0) {
  return {static_cast<std::int32_t>(random_at(seed, 8 * i + 2 * attempt) >> 36),
          static_cast<std::int32_t>(random_at(seed, 8 * i + 2 * attempt + 1) >> 36)};
}
inline hull_point hull_in_disk(std::uint64_t seed, std::uint64_t i) {
  constexpr std::int64_t radius = hull_side / 2;
  for (std::uint64_t attempt = 0; attempt < 4; ++attempt) {
    const hull_point p = hull_in_square(seed, i, attempt);
    const std::int64_t x = p.x - radius, y = p.y - radius;
    if (x * x + y * y <= radius * radius) return p;
  }
  return {static_cast<std::int32_t>(radius), static_cast<std::int32_t>(radius)};
}

// Leaves.

struct hull_extremes {
  hull_point min, max;  // lexicographically
};
inline hull_extremes hull_find_extremes(std::span<const hull_point> points) {
  // One number for each point, in the same order, so the two comparisons need no branch.
  const auto key = [](hull_point p) { return std::int64_t{p.x} << 32 | p.y; };
  std::int64_t min = key(points[0]), max = min;
  for (const hull_point p : points) {
    min = std::min(min, key(p));
    max = std::max(max, key(p));
  }
  const auto point = [](std::int64_t k) {
    return hull_point{static_cast<std::int32_t>(k >> 32), static_cast<std::int32_t>(k & 0xffffffff)};
  };
  return {point(min), point(max)};
}

/// The point farthest beyond a line. If there are several, the smallest of them, which is a corner of their hull.
struct hull_farthest {
  std::int64_t beyond = 0;  // 0: no point is beyond the line
  hull_point point = {0, 0};

  void see(std::int64_t its_beyond, hull_point p) {
    if (its_beyond < beyond || its_beyond == 0) return;
    if (its_beyond == beyond && p >= point) return;
    beyond = its_beyond;
    point = p;
  }
  void see(const hull_farthest& other) { see(other.beyond, other.point); }
};

/// The numbers of points beyond the two edges a b and b c, and the farthest points there.
struct hull_split {
  hull_points first, second;
  hull_farthest first_farthest, second_farthest;
};

/// Moves the points beyond a b to the front and those beyond b c behind them; the others are lost. No point is beyond
/// both. There are no branches that depend on the data.
inline hull_split hull_split_run(hull_points run, hull_point a, hull_point b, hull_point c) {
  hull_split result;
  std::size_t kept = 0;
  for (const hull_point p : run) {
    const std::int64_t first = hull_beyond(a, b, p), second = hull_beyond(b, c, p);
    run[kept] = p;
    kept += static_cast<std::size_t>((first > 0) | (second > 0));
    if (first >= result.first_farthest.beyond) result.first_farthest.see(first, p);
    if (second >= result.second_farthest.beyond) result.second_farthest.see(second, p);
  }
  std::size_t firsts = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    const hull_point p = run[i];
    run[i] = run[firsts];
    run[firsts] = p;
    firsts += static_cast<std::size_t>(hull_beyond(a, b, p) > 0);
  }
  result.first = run.first(firsts);
  result.second = run.subspan(firsts, kept - firsts);
  return result;
}

/// Appends the corners between a and b, which are the hull of a, b and the points beyond a b.
inline void hull_between(hull_points points, hull_point a, hull_point b, hull_point farthest,
                         std::vector<hull_point>& corners) {
  if (points.empty()) return;
  const hull_split s = hull_split_run(points, a, farthest, b);
  hull_between(s.first, a, farthest, s.first_farthest.point, corners);
  corners.push_back(farthest);
  hull_between(s.second, farthest, b, s.second_farthest.point, corners);
}

// Known answers.

struct hull_known {
  std::size_t corners;
  std::int64_t double_area;
  hull_point first;
  std::uint64_t hash;
};
inline const hull_known* hull_published(std::size_t n, bool disk) {
  static constexpr struct {
    std::size_t n;
    bool disk;
    hull_known answer;
  } table[] = {{1000, true, {38, 108961220921980628, {78086, 131971450}, 0xae5635889f381c68}},
               {100000, true, {151, 112993293278109397, {78086, 131971450}, 0x3fe5cbb81e419bb8}},
               {1000000, true, {336, 113148078279671419, {30508, 135863434}, 0xb6acf67d52482519}},
               {5000000, true, {569, 113174897253392476, {2558, 134881534}, 0xa76ed18592bad3a5}},
               {20000000, true, {923, 113182466134058156, {2558, 134881534}, 0xbc20089ea2b66280}},
               {40000000, true, {1180, 113184577525021551, {1197, 133744240}, 0x59db9c4f3d4fe563}},
               {1000000, false, {36, 144109570521066790, {206, 254043368}, 0xdbc8493f2987a018}}};
  for (const auto& row : table)
    if (row.n == n && row.disk == disk) return &row.answer;
  return nullptr;
}

inline std::int64_t hull_double_area(std::span<const hull_point> corners) {
  std::int64_t sum = 0;
  for (std::size_t i = 2; i < corners.size(); ++i) sum -= hull_beyond(corners[0], corners[i - 1], corners[i]);
  return sum;
}
inline std::uint64_t hull_hash(std::span<const hull_point> corners) {
  std::vector<std::uint64_t> keys;
  for (const hull_point p : corners)
    keys.push_back(static_cast<std::uint64_t>(p.x) << 32 | static_cast<std::uint64_t>(p.y));
  return hash_sequence(keys);
}

/// What is wrong with these corners as the hull of the points point_at(0 .. n-1), or nullptr. O(n log corners).
template <class PointAt>
const char* hull_wrong(std::span<const hull_point> corners, std::size_t n, PointAt point_at) {
  const std::size_t h = corners.size();
  if (h == 0) return "the hull has no corners";
  for (std::size_t i = 0; h > 2 && i < h; ++i)
    if (hull_beyond(corners[i], corners[(i + 1) % h], corners[(i + 2) % h]) >= 0)
      return "a corner does not turn to the left";
  const auto largest = std::ranges::max_element(corners);
  if ((h > 1 && corners.back() <= corners[0]) ||
      std::ranges::adjacent_find(corners.begin(), largest + 1, std::ranges::greater_equal{}) != largest + 1 ||
      std::ranges::adjacent_find(largest, corners.end(), std::ranges::less_equal{}) != corners.end())
    return "the corners do not go around exactly once from the smallest";
  // Below: from the smallest corner to the largest; above: from the smallest back to the largest.
  const std::span<const hull_point> below(corners.begin(), largest + 1);
  std::vector<hull_point> above(largest, corners.end());
  if (h > 1) above.push_back(corners[0]);
  std::ranges::reverse(above);
  std::vector<bool> seen(h, false);
  for (std::size_t i = 0; i < n; ++i) {
    const hull_point p = point_at(i);
    if (p < corners[0] || p > *largest) return "a point lies outside";
    const auto under = std::ranges::upper_bound(below, p) - 1;
    if (*under == p) seen[static_cast<std::size_t>(under - below.begin())] = true;
    if (under + 1 != below.end() && hull_beyond(under[0], under[1], p) > 0) return "a point lies outside";
    const auto over = std::ranges::upper_bound(above, p) - 1;
    if (*over == p) seen[(h - static_cast<std::size_t>(over - above.begin())) % h] = true;
    if (over + 1 != above.end() && hull_beyond(over[1], over[0], p) > 0) return "a point lies outside";
  }
  return std::ranges::find(seen, false) == seen.end() ? nullptr : "a corner is not one of the points";
}

/// An SVG drawing of some of the points and the hull around them.
template <class PointAt>
std::string hull_drawing(std::span<const hull_point> corners, std::size_t n, PointAt point_at) {
  constexpr std::size_t max_points = 4000;
  constexpr double size = 1000, scale = size / static_cast<double>(hull_side);
  const auto position = [&](hull_point p, const char* between) {
    return std::to_string(scale * p.x) + between + std::to_string(size - scale * p.y);
  };
  std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-10 -10 1020 1020'>\n<g fill='#888'>\n";
  const std::size_t drawn = std::min(n, max_points);
  for (std::size_t i = 0; i < drawn; ++i)
    svg += "<circle r='1.5' cx='" + position(point_at(i * (n / drawn)), "' cy='") + "'/>\n";
  svg += "</g>\n<polygon fill='none' stroke='#c00' stroke-width='2' points='";
  for (const hull_point p : corners) svg += position(p, ",") + " ";
  return svg + "'/>\n</svg>\n";
}

}  // namespace workloads
