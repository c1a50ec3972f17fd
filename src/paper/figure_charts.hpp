// The charts of a figure: one for each panel, and one of its published numbers beside ours.
#pragma once

#include <vector>

#include "paper/experiment.hpp"
#include "paper/plot.hpp"

namespace skua::paper {

/// In proportion to `shown_over` where the figure says so, seed by seed.
std::vector<chart> charts_of(const result&);
/// Without rows where nothing was run, and for figures that are exact.
forest published_beside_ours(const result&);

}  // namespace skua::paper
