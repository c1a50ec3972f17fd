// Comparisons as JSON, there and back, and the part of `skua run --json` that they are made of.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "paper/comparison.hpp"

namespace skua::cli {

/// Of `skua run --simulate ... --json`. Throws std::runtime_error for an answer that was wrong.
paper::compared_run compared_run_of(const std::string& output, std::uint64_t seed);

nlohmann::ordered_json json_of(const std::vector<paper::compared_block>& blocks);
/// What json_of wrote into a file. Throws bad_input for anything else.
std::vector<paper::compared_block> read_comparison(const std::string& file);

}  // namespace skua::cli
