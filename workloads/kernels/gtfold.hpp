// The least energy of all structures of an RNA, by dynamic programming: the leaf work. No scheduling.
//
// Cell (i, j), i < j, holds the best of the bases i .. j where i pairs with j ("closed"), and of these bases as a part
// of a multiloop. It needs the cells inside i .. j only; cells of the same distance j - i do not need each other.
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

/// The least distance of a pair.
inline constexpr std::size_t fold_nearest = rna_hairpin_least + 1;

/// All tables of a molecule. What is known of i and j is at [i][j]; the half of a table with j < i is used as well.
struct fold_tables {
  rna_bases bases;
  std::size_t n = 0, pitch = 0;
  std::vector<rna_energy> hairpins;  // by the number of bases, as with a kind that costs nothing
  std::vector<rna_energy> parts;     // [i][j] and again [j][i], so that columns lie in one piece too
  std::vector<rna_energy> closed;  // [i][j]: with what the end of this helix costs; [j][i]: splits, see below
  std::vector<rna_energy> front;   // [k]: the best of the first k bases

  explicit fold_tables(rna_bases of = {}) : bases(std::move(of)), n(bases.size()) {
    pitch = (n + 15) / 16 * 16 + 16;
    if (pitch / 16 % 2 == 0) pitch += 16;  // else the lines of a column share few sets of the cache
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
  /// The best of two parts side by side, cut anywhere.
  rna_energy split(std::size_t i, std::size_t j) const { return closed[j * pitch + i]; }
  rna_energy closed_with_end(std::size_t i, std::size_t j) const { return closed[i * pitch + j]; }
  /// Where i and j can pair.
  rna_energy closed_alone(std::size_t i, std::size_t j) const {
    return closed_with_end(i, j) - rna_end(pair(i, j));
  }
};

namespace detail {

/// Energies of interior loops below (i, j), by the number of bases on the left and by how far the inner pair ends
/// after base j - fold_window. What goes by stacks is left out.
inline constexpr std::size_t fold_window = rna_loop_most + 2;
using fold_loops = std::array<std::array<rna_energy, fold_window>, rna_loop_most + 1>;
inline const fold_loops& fold_interiors() {
  static const fold_loops table = [] {
    fold_loops made;
    for (std::size_t left = 0; left <= rna_loop_most; ++left)
      for (std::size_t at = 0; at < fold_window; ++at) {
        const std::size_t right = fold_window - 1 - at;
        const bool fits = left + right >= 2 && left + right <= rna_loop_most;
        made[left][at] = fits ? rna_interior(left, right) : rna_never;
      }
    return made;
  }();
  return table;
}

[[gnu::always_inline]] inline rna_energy fold_least_sum(const rna_energy* a, const rna_energy* b,
                                                        std::size_t count) {
  rna_energy least = rna_never;
  for (std::size_t k = 0; k < count; ++k) least = std::min(least, a[k] + b[k]);
  return least;
}

/// The best interior loop below (i, j), with its inner pair but without the end of the outer helix.
[[gnu::always_inline]] inline rna_energy fold_best_interior(const fold_tables& t, const fold_loops& loops,
                                                            std::size_t i, std::size_t j) {
  rna_energy least = rna_never;
  if (j - i >= 2 * fold_window) {  // inside i .. j as a whole: pieces of one length, and of half of it
    constexpr std::size_t half = fold_window / 2;
    const rna_energy* from = t.closed.data() + (i + 1) * t.pitch + j - fold_window;
    for (std::size_t left = 0; left < half; ++left, from += t.pitch)
      least = std::min(least, fold_least_sum(from, loops[left].data(), fold_window));
    for (std::size_t left = half; left <= rna_loop_most; ++left, from += t.pitch)
      least = std::min(least, fold_least_sum(from + half, loops[left].data() + half, half));
    return least;
  }
  for (std::size_t left = 0; left <= rna_loop_most && i + 1 + left + fold_nearest < j; ++left) {
    const std::size_t p = i + 1 + left, inside = p + fold_nearest;
    const std::size_t first = j + left > inside + rna_loop_most + 1 ? j + left - rna_loop_most - 1 : inside;
    if (first < j)
      least = std::min(least, fold_least_sum(t.closed.data() + p * t.pitch + first,
                                             loops[left].data() + (first + fold_window - j), j - first));
  }
  return least;
}

/// The best with i and j paired, with the end of their helix.
[[gnu::always_inline]] inline rna_energy fold_closed(const fold_tables& t, const fold_loops& loops, int kind,
                                                     std::size_t i, std::size_t j) {
  const std::size_t unpaired = j - i - 1;
  rna_energy least = t.hairpins[unpaired] + (unpaired == rna_hairpin_least ? rna_end(kind) : 0);
  if (unpaired < fold_nearest + 1) return least + rna_end(kind);
  least = std::min(least, fold_best_interior(t, loops, i, j) + rna_end(kind));
  const auto stacked = [&](std::size_t p, std::size_t q, rna_energy extra) {
    if (q >= p + fold_nearest && t.pair(p, q) != rna_no_pair)
      least = std::min(least, extra + rna_stack(kind, t.pair(q, p)) + t.closed_alone(p, q));
  };
  stacked(i + 1, j - 1, 0);
  stacked(i + 1, j - 2, rna_small_bulge);
  stacked(i + 2, j - 1, rna_small_bulge);
  least = std::min(least, rna_multiloop + rna_branch + rna_end(kind) + t.split(i + 1, j - 1));
  return least + rna_end(kind);
}

WORKLOADS_VECTORISED inline void fold_cell_in(fold_tables& t, const fold_loops& loops, std::size_t i,
                                              std::size_t j) {
  const std::size_t pitch = t.pitch, distance = j - i;
  const rna_energy* row = t.parts.data() + i * pitch;
  const rna_energy* column = t.parts.data() + j * pitch;
  rna_energy split = rna_never;
  if (distance > 2 * fold_nearest)
    split =
        fold_least_sum(row + i + fold_nearest, column + i + fold_nearest + 1, distance - 2 * fold_nearest);
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
