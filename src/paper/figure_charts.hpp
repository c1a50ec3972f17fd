// The charts of a figure: one for each panel, and one that compares published numbers with ours.
#pragma once

#include <vector>

#include "paper/experiment.hpp"
#include "paper/plot.hpp"

namespace skua::paper {

/// Relative to `shown_over` if the figure has it, for each seed.
std::vector<chart> charts_of(const result&);
/// Without rows if nothing was run, and for exact figures.
forest published_beside_ours(const result&);

}  // namespace skua::paper
