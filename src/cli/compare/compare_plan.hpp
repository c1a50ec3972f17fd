// The options of `skua compare`, the runs that they ask for, and comparisons as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/own_runs.hpp"
#include "paper/policy_comparison.hpp"

namespace skua::cli {

struct compare_options {
  std::string policies = "all", machines, workloads, size = "ci", level = "bandwidth", pages, workers, plot,
              markdown;
  std::vector<std::string> from;
  std::size_t seeds = 5, jobs = 0;
  bool json = false;
};

/// Blocks, rows and cells without runs. Throws bad_input for names that do not exist.
std::vector<paper::compared_block> planned(const compare_options& options);
/// The command line of one run, without `skua`.
arguments command_of(const compare_options& options, const paper::compared_block& block,
                     const paper::compared_row& row, const std::string& policy, std::uint64_t seed);

/// Reads what `skua run --simulate ... --json` printed. Throws std::runtime_error for a wrong answer.
paper::compared_run compared_run_of(const std::string& output, std::uint64_t seed);

void print_json(const std::vector<paper::compared_block>& blocks);
/// Reads a file of what print_json printed. Throws bad_input for anything else.
std::vector<paper::compared_block> read_comparison(const std::string& file);

}  // namespace skua::cli
