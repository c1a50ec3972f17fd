// Whether figures can be run, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paper/coverage.hpp"

namespace skua::cli {

/// "all", "some points", "not yet", or "inputs", of which nothing is run.
std::string_view runs_word(const paper::figure&, const paper::coverage&);

/// A line for each: what the user types, level, whether it can be run, title, and what is missing.
std::string list_of(const std::vector<const paper::figure*>&, paper::size);

}  // namespace skua::cli
