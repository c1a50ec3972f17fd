// The minimum energy of all structures of an RNA, by dynamic programming: the leaf work. No scheduling.
//
// Cell (i, j), i < j, holds two minima: for the bases i .. j if i pairs with j ("closed"), and for these bases as a
// part of a multiloop. It needs only the cells inside i .. j; cells of the same distance j - i do not need each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/common/vectorised.hpp"
#include "workloads/kernels/gtfold_model.hpp"

namespace workloads {

/// The minimum distance of a pair.
inline constexpr std::size_t fold_nearest = rna_hairpin_min + 1;

/// All tables of a molecule. Values for i and j are at [i][j]. The half of a table with j < i is used as well.
struct fold_tables {
  rna_bases bases;
  std::size_t n = 0, pitch = 0;
  std::vector<rna_energy> hairpins;  // indexed by the number of bases, for a pair without an end cost
  std::vector<rna_energy> parts;     // [i][j] and again [j][i], so that columns are contiguous too
  std::vector<rna_energy>
      closed;  // [i][j]: including the cost of the end of this helix; [j][i]: splits, see below
  std::vector<rna_energy> front;  // [k]: the minimum for the first k bases

  explicit fold_tables(rna_bases of = {}) : bases(std::move(of)), n(bases.size()) {
    pitch = (n + 15) / 16 * 16 + 16;
    if (pitch / 16 % 2 == 0) pitch += 16;  // otherwise the lines of a column share few sets of the cache
    for (std::size_t unpaired = 0; unpaired < n; ++unpaired) hairpins.push_back(rna_hairpin(unpaired, 0));
    clear();
  }
  void clear() {
    parts.assign(n * pitch, rna_never);
    closed.assign(n * pitch, rna_never);
    front.assign(n + 1, rna_never);
  }
  int pair(std::size_t i, std::size_t j) const { return rna_pair(bases[i], bases[j]); }
  rna_energy part(std::size_t i, std::size_t j) const { return parts[i * pitch + j]; }
  /// The minimum for two parts side by side, over all cuts.
  rna_energy split(std::size_t i, std::size_t j) const { return closed[j * pitch + i]; }
  rna_energy closed_with_end(std::size_t i, std::size_t j) const { return closed[i * pitch + j]; }
  /// Only if i and j can pair.
  rna_energy closed_alone(std::size_t i, std::size_t j) const {
    return closed_with_end(i, j) - rna_end(pair(i, j));
  }
};

namespace detail {

/// Energies of interior loops below (i, j), indexed by the number of bases on the left and by how far the inner pair
/// ends after base j - fold_window. Loops whose energy depends on stacks are left out.
inline constexpr std::size_t fold_window = rna_loop_max + 2;
using fold_loops = std::array<std::array<rna_energy, fold_window>, rna_loop_max + 1>;
inline const fold_loops& fold_interiors() {
  static const fold_loops table = [] {
    fold_loops made;
    for (std::size_t left = 0; left <= rna_loop_max; ++left)
      for (std::size_t at = 0; at < fold_window; ++at) {
        const std::size_t right = fold_window - 1 - at;
        const bool fits = left + right >= 2 && left + right <= rna_loop_max;
        made[left][at] = fits ? rna_interior(left, right) : rna_never;
      }
    return made;
  }();
  return table;
}

[[gnu::always_inline]] inline rna_energy fold_min_sum(const rna_energy* a, const rna_energy* b,
                                                      std::size_t count) {
  rna_energy lowest = rna_never;
  for (std::size_t k = 0; k < count; ++k) lowest = std::min(lowest, a[k] + b[k]);
  return lowest;
}

/// The best interior loop below (i, j), with its inner pair but without the end of the outer helix.
[[gnu::always_inline]] inline rna_energy fold_best_interior(const fold_tables& t, const fold_loops& loops,
                                                            std::size_t i, std::size_t j) {
  rna_energy lowest = rna_never;
  if (j - i >= 2 * fold_window) {  // inside i .. j as a whole: pieces of one length, and of half of it
    constexpr std::size_t half = fold_window / 2;
    const rna_energy* from = t.closed.data() + (i + 1) * t.pitch + j - fold_window;
    for (std::size_t left = 0; left < half; ++left, from += t.pitch)
      lowest = std::min(lowest, fold_min_sum(from, loops[left].data(), fold_window));
    for (std::size_t left = half; left <= rna_loop_max; ++left, from += t.pitch)
      lowest = std::min(lowest, fold_min_sum(from + half, loops[left].data() + half, half));
    return lowest;
  }
  for (std::size_t left = 0; left <= rna_loop_max && i + 1 + left + fold_nearest < j; ++left) {
    const std::size_t p = i + 1 + left, inside = p + fold_nearest;
    const std::size_t first = j + left > inside + rna_loop_max + 1 ? j + left - rna_loop_max - 1 : inside;
    if (first < j)
      lowest = std::min(lowest, fold_min_sum(t.closed.data() + p * t.pitch + first,
                                             loops[left].data() + (first + fold_window - j), j - first));
  }
  return lowest;
}

/// The best with i and j paired, with the end of their helix.
[[gnu::always_inline]] inline rna_energy fold_closed(const fold_tables& t, const fold_loops& loops, int kind,
                                                     std::size_t i, std::size_t j) {
  const std::size_t unpaired = j - i - 1;
  rna_energy lowest = t.hairpins[unpaired] + (unpaired == rna_hairpin_min ? rna_end(kind) : 0);
  if (unpaired < fold_nearest + 1) return lowest + rna_end(kind);
  lowest = std::min(lowest, fold_best_interior(t, loops, i, j) + rna_end(kind));
  const auto stacked = [&](std::size_t p, std::size_t q, rna_energy extra) {
    if (q >= p + fold_nearest && t.pair(p, q) != rna_no_pair)
      lowest = std::min(lowest, extra + rna_stack(kind, t.pair(q, p)) + t.closed_alone(p, q));
  };
  stacked(i + 1, j - 1, 0);
  stacked(i + 1, j - 2, rna_small_bulge);
  stacked(i + 2, j - 1, rna_small_bulge);
  lowest = std::min(lowest, rna_multiloop + rna_branch + rna_end(kind) + t.split(i + 1, j - 1));
  return lowest + rna_end(kind);
}

WORKLOADS_VECTORISED inline void fold_cell_in(fold_tables& t, const fold_loops& loops, std::size_t i,
                                              std::size_t j) {
  const std::size_t pitch = t.pitch, distance = j - i;
  const rna_energy* row = t.parts.data() + i * pitch;
  const rna_energy* column = t.parts.data() + j * pitch;
  rna_energy split = rna_never;
  if (distance > 2 * fold_nearest)
    split = fold_min_sum(row + i + fold_nearest, column + i + fold_nearest + 1, distance - 2 * fold_nearest);
  rna_energy part = std::min({split, row[j - 1], column[i + 1]});
  const int kind = t.pair(i, j);
  if (kind != rna_no_pair) {
    const rna_energy closed = fold_closed(t, loops, kind, i, j);
    part = std::min(part, closed + rna_branch);
    t.closed[i * pitch + j] = closed;
  }
  t.closed[j * pitch + i] = split;
  t.parts[i * pitch + j] = t.parts[j * pitch + i] = part;
}

}  // namespace detail

/// Computes cell (i, j), j - i >= fold_nearest, when (i, j - 1) and (i + 1, j) are known.
inline void fold_cell(fold_tables& t, std::size_t i, std::size_t j) {
  detail::fold_cell_in(t, detail::fold_interiors(), i, j);
}

/// The best of every front of the molecule, when all cells are known. A short piece of work at the end.
inline void fold_fronts(fold_tables& t) {
  std::fill(t.front.begin(), t.front.end(), rna_never);
  t.front[0] = 0;
  for (std::size_t i = 0; i < t.n; ++i) {
    const rna_energy here = t.front[i];
    const rna_energy* closed = t.closed.data() + i * t.pitch;
    rna_energy* to = t.front.data() + 1;  // to[j]: of the bases 0 .. j
    to[i] = std::min(to[i], here);
    for (std::size_t j = i + fold_nearest; j < t.n; ++j) to[j] = std::min(to[j], here + closed[j]);
  }
}

inline void fold_sequential(fold_tables& t) {
  for (std::size_t distance = fold_nearest; distance < t.n; ++distance)
    for (std::size_t i = 0; i + distance < t.n; ++i) fold_cell(t, i, i + distance);
  fold_fronts(t);
}

}  // namespace workloads
