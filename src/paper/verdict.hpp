// What became of a paper's figure in our runs, by rule:
//
//   reproduced            every number the paper gives lies between the least and the greatest of ours (one a seed), or
//                         within 10% of our median, and every comparison it states holds
//   same sign and order   every comparison it states holds, in at least 4 of 5 seeds; so does the side of 1 on which a
//                         ratio lies that it gives
//   different             else, with the reason
//
//   const figure_verdict found = judge(find_figure("cab", "fig8"), measured);
//   puts(found.reason.c_str());
//
// A comparison holds when it does so in at least 80% of the seeds at every place that it speaks of. A ratio to 0 is not
// defined: no comparison with it holds, and it reproduces nothing. On level `exact` there are no bands: equal or not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "paper/figure.hpp"

namespace skua::paper {

/// inputs: nothing to judge. not_run: nothing was measured that a claim is about.
enum class verdict { reproduced, same_sign_and_order, different, inputs, not_run };
std::string_view words_for(verdict) noexcept;

/// Of one published number.
struct value_verdict {
  std::string what, published, place;
  double low = 0, high = 0;                  // published
  double min = 0, median = 0, greatest = 0;  // ours; NaN where not defined
  verdict result = verdict::not_run;
  std::string reason;  // where it is not reproduced: by how much
};

/// Of one comparison at all its places.
struct comparison_verdict {
  std::string says, place;
  bool run = false, holds = false, implied = false;  // implied: by a published ratio
  std::size_t held = 0, seeds = 0;                   // where it holds least
  std::size_t places = 0;                            // that were run
  std::string reason;                                // where it does not hold: which, and by how much
};

struct figure_verdict {
  verdict result = verdict::not_run;
  std::string reason;
  std::size_t seeds = 0;
  std::vector<value_verdict> values;  // in the order of the figure's
  std::vector<comparison_verdict> comparisons;
};

constexpr std::size_t min_seeds = 5;

/// How many of so many seeds a comparison must hold in: 4 of 5.
constexpr std::size_t enough_of(std::size_t seeds) noexcept { return (4 * seeds + 4) / 5; }

/// Points without samples were not run: what speaks of them is not judged. Throws bad_input for samples of fewer seeds
/// than 5, of different numbers of seeds, of points that the figure does not have, and for values that are not finite.
figure_verdict judge(const figure&, const samples&);

}  // namespace skua::paper
