// Checks whether a comparison holds in samples.
#pragma once

#include <vector>

#include "paper/judgement.hpp"

namespace skua::paper {

struct checked {
  comparison_judgement judged;
  std::vector<point> points;  // of the comparison, as far as they were run
};

checked check(const comparison&, const figure&, const samples&, std::size_t seeds);

}  // namespace skua::paper
