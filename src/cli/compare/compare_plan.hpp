// What `skua compare` is asked for: lists of policies, machines and workloads, and the runs that they make.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/own_runs.hpp"
#include "paper/comparison.hpp"

namespace skua::cli {

struct compare_options {
  std::string policies = "all", machines, workloads, size = "ci", level = "bandwidth", pages, workers, plot,
              markdown;
  std::vector<std::string> from;
  std::size_t seeds = 5, jobs = 0;
  bool json = false;
};

/// Parts between commas that stand in no parentheses, without the spaces around them: "mix(0.9, nearest), random" are two.
std::vector<std::string> parts_of(std::string_view list);

/// Blocks, rows and cells without runs. Throws bad_input for what does not exist.
std::vector<paper::compared_block> planned(const compare_options& options);
/// What follows `skua` for one run.
arguments command_of(const compare_options& options, const paper::compared_block& block,
                     const paper::compared_row& row, const std::string& policy, std::uint64_t seed);

}  // namespace skua::cli
