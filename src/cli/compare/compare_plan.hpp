// The options of `skua compare`, the runs that they ask for, and comparisons as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/program_runs.hpp"
#include "observe/run_record.hpp"
#include "paper/policy_comparison.hpp"

namespace skua::cli {

struct compare_options {
  std::string policies = "all", machines, workloads, size = "ci", level = "bandwidth", pages, workers, plot,
              markdown;
  std::vector<std::string> from;
  std::string program;  // a path; instead of workloads
  skua::cli::arguments arguments;
  std::size_t seeds = 5, jobs = 0, repeat = 1;
  std::uint64_t first_seed = 1;
  bool varies_input = false, measured = false, json = false;
};

/// Blocks, rows and cells without runs. Throws bad_input for names that do not exist.
std::vector<paper::compared_block> planned(const compare_options& options);
/// The command line of one run, without `skua`.
arguments command_of(const compare_options& options, const paper::compared_block& block,
                     const paper::compared_row& row, const std::string& policy, std::uint64_t seed);

/// Reads what `skua run --simulate ... --json` printed. Throws std::runtime_error for a wrong answer.
paper::compared_run compared_run_of(const std::string& output, std::uint64_t seed);

/// Throws bad_input for options that a program does not have.
void check_program(const command& of, const compare_options& options);
/// Runs the program for each cell and takes what it left. A run that failed throws nothing; its cell says so.
void measure_program(const compare_options& options, std::vector<paper::compared_block>& blocks,
                     const std::function<void(std::size_t done, std::size_t of)>& progress);
/// Adds a run to the cell. If one run fails, its whole cell fails: a median of the others would be of other seeds.
template <class Run>
void take(paper::compared_cell& cell, Run run) try {
  cell.runs.push_back(run());
} catch (const std::runtime_error& error) {
  if (cell.complaint.empty()) cell.complaint = error.what();
}

/// What the record of a run says of one seed. A real machine has no memory counters.
paper::compared_run compared_run_of(const observe::run_record& record, std::uint64_t seed);

void print_json(const std::vector<paper::compared_block>& blocks);
/// Reads a file with the output of print_json. Throws bad_input for anything else.
std::vector<paper::compared_block> read_comparison(const std::string& file);

}  // namespace skua::cli
