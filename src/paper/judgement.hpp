// The judgement (in pages: verdict) of a paper's figure from our runs, by rule:
//
//   reproduced            every published number lies between our minimum and maximum (one number per seed), or within 10%
//                         of our median, and every published comparison holds
//   same sign and order   every published comparison holds in at least 4 of 5 seeds, and each number that is not reproduced
//                         is part of one; a published ratio also counts as a comparison, with 1
//   different             otherwise, with the reason
//
//   const figure_judgement found = judge(find_figure("cab", "fig8"), measured);
//   puts(found.reason.c_str());
//
// A comparison holds if it holds in at least 80% of the seeds at every one of its points. A ratio to 0 is not defined: no
// comparison with it holds, and it reproduces no number. On level `exact` there are no bands: numbers are equal or not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "paper/band.hpp"
#include "paper/figure.hpp"

namespace skua::paper {

/// inputs: nothing to judge. not_run: no point of a claim was measured.
enum class judgement { reproduced, same_sign_and_order, different, inputs, not_run };
std::string_view name_of(judgement) noexcept;

/// The judgement of one published number.
struct value_judgement {
  std::string what, published, place;
  double low = 0, high = 0;  // published
  band ours;                 // NaN if not defined
  judgement result = judgement::not_run;
  std::string reason;  // if it is not reproduced: the difference
};

/// The judgement of one comparison at all its points.
struct comparison_judgement {
  std::string says, place;
  bool run = false, holds = false, implied = false;  // implied: by a published ratio
  std::size_t held = 0, seeds = 0;                   // where it holds in the fewest seeds
  std::size_t places = 0;                            // that were run
  std::string reason;                                // if it does not hold: where, and the medians
};

struct figure_judgement {
  judgement result = judgement::not_run;
  std::string reason;
  std::size_t seeds = 0;
  std::vector<value_judgement> values;  // in the order of the figure's
  std::vector<comparison_judgement> comparisons;
};

constexpr std::size_t min_seeds = 5;

/// In how many seeds a comparison must hold: 4 of 5.
constexpr std::size_t enough_of(std::size_t seeds) noexcept { return (4 * seeds + 4) / 5; }

/// Points without samples were not run, and claims about them are not judged. Throws bad_input for fewer than 5 seeds, for
/// different numbers of seeds, for points that the figure does not have, and for values that are not finite.
figure_judgement judge(const figure&, const samples&);

}  // namespace skua::paper
