// Whether a comparison holds in samples.
#pragma once

#include <vector>

#include "paper/verdict.hpp"

namespace skua::paper {

struct checked {
  comparison_verdict verdict;
  std::vector<point> points;  // that it is about, at the places that were run
};

checked check(const comparison&, const figure&, const samples&, std::size_t seeds);

}  // namespace skua::paper
