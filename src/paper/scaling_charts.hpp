// A program on ever more workers, drawn as the thesis on TBB draws it.
#pragma once

#include <vector>

#include "paper/plot.hpp"
#include "paper/scaling.hpp"

namespace skua::paper {

/// Speedups and work inflation of all policies; then of each its user and library time, the library's parts, and how they
/// grow.
std::vector<chart> charts_of(const scaling& all);

}  // namespace skua::paper
