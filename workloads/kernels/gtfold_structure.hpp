// Structures of an RNA: finds one of minimum energy from the tables, and computes the energy of any structure loop by
// loop, without the tables. No scheduling.
//
// A structure is a text of dots and matching brackets, with one bracket for each base of a pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/kernels/gtfold.hpp"

namespace workloads {

/// Walks back through the tables. Each step finds the choice that gave the value.
class fold_traceback {
 public:
  explicit fold_traceback(const fold_tables& tables) : t_(tables), structure_(tables.n, '.') {}

  /// Empty if the tables are inconsistent.
  std::optional<std::string> find() {
    if (!find_fronts()) return {};
    while (!todo_.empty()) {
      const open_piece piece = todo_.back();
      todo_.pop_back();
      if (!(piece.paired ? find_closed(piece.i, piece.j) : find_part(piece.i, piece.j))) return {};
    }
    return structure_;
  }

 private:
  struct open_piece {
    std::size_t i, j;
    bool paired;
  };

  void open(std::size_t i, std::size_t j, bool paired) { todo_.push_back({i, j, paired}); }

  bool find_fronts() {
    for (std::size_t end = t_.n; end > 0;) {
      if (t_.front[end] == t_.front[end - 1]) {
        --end;
        continue;
      }
      std::size_t i = 0;
      while (i + fold_nearest < end && t_.front[i] + t_.closed_with_end(i, end - 1) != t_.front[end]) ++i;
      if (i + fold_nearest >= end) return false;
      open(i, end - 1, true);
      end = i;
    }
    return t_.front[0] == 0;
  }

  bool find_closed(std::size_t i, std::size_t j) {
    const int kind = t_.pair(i, j);
    if (kind == rna_no_pair) return false;
    structure_[i] = '(', structure_[j] = ')';
    const rna_energy energy = t_.closed_alone(i, j);
    if (energy == rna_hairpin(j - i - 1, kind)) return true;
    for (std::size_t p = i + 1; p <= i + rna_loop_max + 1 && p + fold_nearest < j; ++p)
      for (std::size_t q = j - 1; q >= p + fold_nearest && (p - i - 1) + (j - q - 1) <= rna_loop_max; --q)
        if (t_.pair(p, q) != rna_no_pair &&
            energy == rna_two_pairs(t_.bases, i, j, p, q) + t_.closed_alone(p, q)) {
          open(p, q, true);
          return true;
        }
    return energy == rna_multiloop + rna_branch + rna_end(kind) + t_.split(i + 1, j - 1) &&
           find_split(i + 1, j - 1);
  }

  bool find_part(std::size_t i, std::size_t j) {
    const rna_energy energy = t_.part(i, j);
    if (energy == t_.closed_with_end(i, j) + rna_branch)
      open(i, j, true);
    else if (energy == t_.part(i + 1, j))
      open(i + 1, j, false);
    else if (energy == t_.part(i, j - 1))
      open(i, j - 1, false);
    else
      return energy == t_.split(i, j) && find_split(i, j);
    return true;
  }

  bool find_split(std::size_t i, std::size_t j) {
    for (std::size_t cut = i + fold_nearest + 1; cut + fold_nearest <= j; ++cut)
      if (t_.split(i, j) == t_.part(i, cut - 1) + t_.part(cut, j)) {
        open(i, cut - 1, false), open(cut, j, false);
        return true;
      }
    return false;
  }

  const fold_tables& t_;
  std::string structure_;
  std::vector<open_piece> todo_;
};

/// The energy of a structure; empty if brackets or bases do not match.
inline std::optional<rna_energy> rna_structure_energy(const rna_bases& bases, std::string_view structure) {
  struct open_pair {
    std::size_t i;
    std::vector<std::pair<std::size_t, std::size_t>> below = {};
  };
  if (structure.size() != bases.size()) return {};
  rna_energy energy = 0;
  std::vector<open_pair> open = {{0}};  // the first is not a pair, but the outside
  for (std::size_t j = 0; j < structure.size(); ++j) {
    if (structure[j] == '(') open.push_back({j});
    if (structure[j] != ')') continue;
    const open_pair pair = std::move(open.back());
    open.pop_back();
    if (open.empty() || j < pair.i + fold_nearest) return {};
    const int kind = rna_pair(bases[pair.i], bases[j]);
    if (kind == rna_no_pair) return {};
    if (pair.below.empty()) {
      energy += rna_hairpin(j - pair.i - 1, kind);
    } else if (pair.below.size() == 1) {
      const auto [p, q] = pair.below[0];
      if ((p - pair.i - 1) + (j - q - 1) > rna_loop_max) return {};
      energy += rna_two_pairs(bases, pair.i, j, p, q);
    } else {
      energy += rna_multiloop + rna_branch + rna_end(kind);
      for (const auto& [p, q] : pair.below) energy += rna_branch + rna_end(rna_pair(bases[p], bases[q]));
    }
    open.back().below.emplace_back(pair.i, j);
  }
  if (open.size() != 1) return {};
  for (const auto& [p, q] : open[0].below) energy += rna_end(rna_pair(bases[p], bases[q]));
  return energy;
}

/// The maximum number of pairs of any structure (Nussinov), independent of its energy.
inline int rna_max_pairs(const rna_bases& bases) {
  const std::size_t n = bases.size();
  std::vector<int> pairs(n * n, 0);  // [i][j] for i < j
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = i + fold_nearest; j < n; ++j) {
      int here = pairs[(i + 1) * n + j];  // i alone, or with k
      for (std::size_t k = i + fold_nearest; k <= j; ++k)
        if (rna_pair(bases[i], bases[k]) != rna_no_pair)
          here = std::max(here, pairs[(i + 1) * n + k - 1] + 1 + (k < j ? pairs[(k + 1) * n + j] : 0));
      pairs[i * n + j] = here;
    }
  return n == 0 ? 0 : pairs[n - 1];
}

/// The published minimum energy for these bases, if any.
inline std::optional<rna_energy> rna_published_energy(std::string_view letters) {
  struct {
    std::uint64_t letters;  // their hash_sequence
    rna_energy energy;
  } constexpr known[] = {// rna_random(42, 60) to (42, 1000), then (7, 300) and (7, 500)
                         {0xc7d85508408cb159, -820},
                         {0x15f0a8da8eb168ae, -2420},
                         {0x563764227e3f588f, -4790},
                         {0x8d0a9de9515fc42f, -9760},
                         {0xa72f654f84092054, -18860},
                         {0x0d0fa22d0efbe08d, -23240},
                         {0x8b9873f1cac5e9be, -8470},
                         {0xfaad5cb7e51b485d, -13970},
                         // X54252, and 4.5S, 5S and 16S of Arabidopsis' chloroplasts
                         {0x238579fed6039dc0, -10830},
                         {0x7889a096e89d4070, -1910},
                         {0x9caac71f3ee5daa2, -3730},
                         {0x3e7a501566fc1cf7, -48050}};
  const std::uint64_t hash = hash_sequence(letters);
  for (const auto& k : known)
    if (k.letters == hash) return k.energy;
  return {};
}

}  // namespace workloads
