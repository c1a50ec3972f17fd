// A program on a growing number of workers, for readers: tables and bars for a terminal, charts as SVG, and both on an HTML
// page.
#pragma once

#include <string>
#include <vector>

#include "paper/plot.hpp"
#include "paper/scaling.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

/// "heat ci on this machine, medians of 5 runs"
std::string heading_of(const scaling& all);
/// Speed and shares of the time; shares by activity; growth by activity. The captions contain the policy.
std::vector<table> tables_of(const scaling& all, const scaling_curve& curve);
/// As the thesis on TBB draws them: speedups and work inflation of all policies; then, for each policy, its user and library
/// time, the parts of the library, and their growth.
std::vector<chart> charts_of(const scaling& all);

std::string text_of(const scaling& all);
/// Files that need no others and no network.
std::string svg_of(const scaling& all);
std::string html_of(const scaling& all);

}  // namespace skua::paper
