// RNA and the energies of its loops: the nearest-neighbour model SEM-1. No scheduling.
//
// A molecule is a sequence of the bases A, C, G, U. Two of them can pair (CG, GU, AU, in either order) if at least
// three others lie between them. A structure is a set of pairs that nest. Each of its loops, that is a pair with the
// pairs directly below it, has an energy in hundredths of kcal/mol. The model has no dangling ends, no special loops,
// and no tables by sequence except that of stacked pairs. SEM-1 can be written as a parameter file for ViennaRNA, which
// then finds the same energies.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/common/random.hpp"

namespace workloads {

using rna_energy = std::int32_t;
/// The energy if there is no structure. Two of them can be added without overflow.
inline constexpr rna_energy rna_never = 1 << 28;

inline constexpr std::size_t rna_hairpin_min = 3;  // bases between a pair
inline constexpr std::size_t rna_loop_max = 30;    // unpaired bases of an interior loop

inline constexpr std::string_view rna_letters = "ACGU";

/// Bases as numbers: their index in rna_letters.
using rna_bases = std::vector<std::uint8_t>;

/// `n` random bases.
inline std::string rna_random(std::uint64_t seed, std::size_t n) {
  std::string letters(n, 'A');
  for (std::size_t i = 0; i < n; ++i) letters[i] = rna_letters[random_at(seed, i) >> 62];
  return letters;
}

/// All letters must occur in rna_letters.
inline rna_bases rna_numbers(std::string_view letters) {
  rna_bases bases;
  for (const char letter : letters) bases.push_back(static_cast<std::uint8_t>(rna_letters.find(letter)));
  return bases;
}

/// The kind of a pair: CG, GC, GU, UG, AU, UA, or none.
inline constexpr int rna_no_pair = 6;
inline int rna_pair(std::uint8_t five, std::uint8_t three) {
  constexpr std::array<int, 16> kinds = {6, 6, 6, 4,   // A with A C G U
                                         6, 6, 0, 6,   // C
                                         6, 1, 6, 2,   // G
                                         5, 6, 3, 6};  // U
  return kinds[4u * five + three];
}

namespace detail {

inline constexpr std::array<std::array<rna_energy, 6>, 6> rna_stacks = {
    {{-240, -330, -210, -140, -210, -210},
     {-330, -340, -250, -150, -220, -240},
     {-210, -250, 130, -50, -140, -130},
     {-140, -150, -50, 30, -60, -100},
     {-210, -220, -140, -60, -110, -90},
     {-210, -240, -130, -100, -90, -130}}};
// Indexed by the number of unpaired bases.
inline constexpr std::array<rna_energy, 31> rna_hairpins = {
    0,   0,   0,   540, 560, 570, 540, 600, 550, 640, 650, 660, 670, 680, 690, 690,
    700, 710, 710, 720, 720, 730, 730, 740, 740, 750, 750, 750, 760, 760, 770};
inline constexpr std::array<rna_energy, 31> rna_bulges = {
    0,   380, 280, 320, 360, 400, 440, 460, 470, 480, 490, 500, 510, 520, 530, 540,
    540, 550, 550, 560, 570, 570, 580, 580, 580, 590, 590, 600, 600, 600, 610};
inline constexpr std::array<rna_energy, 31> rna_interiors = {
    0,   0,   100, 100, 110, 200, 200, 210, 230, 240, 250, 260, 270, 280, 290, 290,
    300, 310, 310, 320, 330, 330, 340, 340, 350, 350, 350, 360, 360, 370, 370};

}  // namespace detail

/// The cost of a pair that ends a helix.
inline rna_energy rna_end(int kind) { return kind >= 2 ? 50 : 0; }

/// The energy of a pair with only `unpaired` bases below it.
inline rna_energy rna_hairpin(std::size_t unpaired, int kind) {
  if (unpaired > 30)
    return detail::rna_hairpins[30] +
           static_cast<rna_energy>(107.856 * std::log(static_cast<double>(unpaired) / 30));
  return detail::rna_hairpins[unpaired] + (unpaired == 3 ? rna_end(kind) : 0);
}

/// The energy of two adjacent pairs. The inner one is read from its 3' side.
inline rna_energy rna_stack(int outer, int inner_from_three) {
  return detail::rna_stacks[static_cast<std::size_t>(outer)][static_cast<std::size_t>(inner_from_three)];
}

/// The energy of two pairs with `left` and `right` unpaired bases between them, at least two in total, without the ends
/// of the helices.
inline rna_energy rna_interior(std::size_t left, std::size_t right) {
  const std::size_t fewer = std::min(left, right), more = std::max(left, right);
  if (fewer == 0) return detail::rna_bulges[more];
  return detail::rna_interiors[left + right] + std::min(300, 60 * static_cast<rna_energy>(more - fewer));
}
/// The same for a bulge of one base, which does not end the helix: to be added to the stack of both pairs.
inline constexpr rna_energy rna_small_bulge = 380;

/// A loop of two pairs, (i, j) and below it (p, q), with at most rna_loop_max unpaired bases.
inline rna_energy rna_two_pairs(const rna_bases& bases, std::size_t i, std::size_t j, std::size_t p,
                                std::size_t q) {
  const int outer = rna_pair(bases[i], bases[j]), inner = rna_pair(bases[p], bases[q]);
  const std::size_t left = p - i - 1, right = j - q - 1;
  if (left + right >= 2) return rna_interior(left, right) + rna_end(outer) + rna_end(inner);
  return (left + right == 1 ? rna_small_bulge : 0) + rna_stack(outer, rna_pair(bases[q], bases[p]));
}

/// A loop with at least three pairs: the first is for the loop, the second for each pair, in addition to its end.
inline constexpr rna_energy rna_multiloop = 340, rna_branch = 40;

}  // namespace workloads
