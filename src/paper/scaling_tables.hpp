// A program on ever more workers, as tables of words: the same for a terminal and for a page.
#pragma once

#include <vector>

#include "paper/facts.hpp"
#include "paper/scaling.hpp"

namespace skua::paper {

/// Speed and the parts of the time; shares by what workers do; how that grows. The policy is in the captions.
std::vector<table> tables_of(const scaling& all, const scaling_curve& curve);
/// "this machine; median of 5 runs"
std::string heading_of(const scaling& all);

}  // namespace skua::paper
