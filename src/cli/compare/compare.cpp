// `skua compare`: policies beside `random` on simulated machines, as a table of ratios and a heat map.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <skua/simulation.hpp>
#include <skua/topology.hpp>

#include "cli/commands.hpp"
#include "cli/compare/compare_json.hpp"
#include "cli/compare/compare_plan.hpp"
#include "cli/page_file.hpp"
#include "cli/print_json.hpp"
#include "cli/progress_line.hpp"
#include "cli/refusals.hpp"
#include "cli/workload_choice.hpp"
#include "paper/comparison_pages.hpp"

namespace skua::cli {
namespace {

using blocks = std::vector<paper::compared_block>;

void check(const compare_options& options) {
  if (options.from.empty() && (options.machines.empty() || options.workloads.empty()))
    throw bad_input(
        "--machines and --workloads are needed; allowed without: --from FILE of skua compare --json");
  if (!options.from.empty() && (!options.machines.empty() || !options.workloads.empty()))
    throw bad_input("--from runs nothing; allowed: --from, or --machines and --workloads");
}

/// A run that failed takes its cell with it: a median of the others would be of other seeds.
void take(own_run ran, std::uint64_t seed, paper::compared_cell& cell) try {
  if (!ran.complaint.empty()) throw std::runtime_error(ran.complaint);
  cell.runs.push_back(compared_run_of(ran.output, seed));
} catch (const std::runtime_error& error) {
  if (cell.complaint.empty()) cell.complaint = error.what();
}

void run_all(const compare_options& options, blocks& all) {
  struct slot {
    paper::compared_cell* cell;
    std::uint64_t seed;
  };
  std::vector<slot> slots;
  std::vector<arguments> commands;
  for (paper::compared_block& block : all)
    for (paper::compared_row& row : block.rows)
      for (paper::compared_cell& cell : row.cells)
        for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
          slots.push_back({&cell, seed});
          commands.push_back(command_of(options, block, row, cell.policy, seed));
        }
  progress_line line;
  line.show_runs(0, commands.size());
  std::vector<own_run> runs = run_ourselves(
      commands, [&](std::size_t done, auto...) { line.show_runs(done, commands.size()); }, options.jobs);
  for (std::size_t i = 0; i < runs.size(); ++i) take(std::move(runs[i]), slots[i].seed, *slots[i].cell);
}

void judge_all(blocks& all) {
  for (paper::compared_block& block : all)
    for (paper::compared_row& row : block.rows) {
      for (paper::compared_cell& cell : row.cells)
        if (!cell.complaint.empty()) cell.runs.clear();
      paper::judge(row);
    }
}

blocks measured(const compare_options& options) {
  blocks all = planned(options);
  run_all(options, all);
  judge_all(all);
  return all;
}

blocks read(const std::vector<std::string>& files) {
  blocks all;
  for (const std::string& file : files)
    for (paper::compared_block& block : read_comparison(file)) {
      const auto table =
          std::ranges::find_if(all, [&](const auto& one) { return paper::same_table(one, block); });
      if (table == all.end())
        all.push_back(std::move(block));
      else
        std::ranges::move(block.rows, std::back_inserter(table->rows));
    }
  return all;
}

std::string markdown_of(const blocks& all) {
  std::string page;
  for (const paper::compared_block& block : all) page += paper::markdown_of(block);
  return page;
}

int run_compare(const compare_options& options) {
  check(options);
  page_file plot(options.plot, {".svg"}), markdown(options.markdown);
  const blocks all = options.from.empty() ? measured(options) : read(options.from);
  if (options.json)
    print_json_text(json_of(all), 1);
  else
    for (std::size_t i = 0; i < all.size(); ++i)
      fmt::print("{}{}", i == 0 ? "" : "\n", paper::text_of(all[i]));
  plot.write([&] { return paper::svg_of(paper::map_of(all)); });
  markdown.write([&] { return markdown_of(all); });
  const std::string complaints = paper::complaints_of(all);
  fmt::print(stderr, "{}", complaints);
  return complaints.empty() ? 0 : 1;
}

void add_choices(CLI::App& command, compare_options& options) {
  command.add_option("--machines", options.machines, "names of skua machines, or files, with commas between");
  command.add_option("--workloads", options.workloads,
                     "with their options, commas between: \"heat n=512 steps=4, mergesort\"");
  command.add_option(
      "--policies", options.policies,
      "all, if not given, which leaves out chaos and chase_lev, or a list: \"nearest(half), bitier\";\n"
      "random is always among them");
  command.add_option("--size", options.size, "of what the workloads' options leave open: ci, if not given")
      ->check(one_of({std::begin(size_names), std::end(size_names)}));
  command.add_option("--seeds", options.seeds, "how many seeds, 1 to so many; 5, if not given")
      ->check(whole_number(1, 1000, [] { return std::int64_t{5}; }));
  command
      .add_option("--level", options.level,
                  "how much is modelled: steps, lines, caches or bandwidth, if not given")
      ->transform(by_either_name)
      ->check(one_of({std::begin(detail_level_names), std::end(detail_level_names)}));
  command
      .add_option("--pages", options.pages,
                  "where data lie: first_touch or interleave; else as the machine says")
      ->check(one_of({"first_touch", "interleave"}));
  command.add_option("--workers", options.workers, "workers; else one a core")
      ->check(whole_number(1, max_workers));
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<compare_options>();
  CLI::App* command = app.add_subcommand("compare", "Hold policies against random, on simulated machines");
  add_choices(*command, *options);
  command->add_option("-j,--jobs", options->jobs, "runs at a time; else as many as there are CPUs")
      ->check(whole_number(1, 1024));
  command->add_option("--from", options->from,
                      "show what --json printed before, of one file or several; runs nothing");
  command->add_option("--plot", options->plot, "draw all ratios as a heat map: FILE.svg");
  command->add_option("--markdown", options->markdown, "the tables for a page: FILE");
  command->add_flag("--json", options->json, "JSON instead of text, with all that a run counted");
  command->footer(
      "A difference counts when the slowest seed of one policy is faster than the fastest of the other, of "
      "four different times or more.\n"
      "Exit code: 0 when all was run and verified, 1 when a run failed, 2 for bad input.\n"
      "Examples:\n"
      "  skua compare --machines opteron-8380-4s --workloads \"heat n=512 steps=10, mergesort\"\n"
      "  skua compare --policies \"nearest, nearest(half)\" --machines epyc-9654-2s,xeon-8480plus-2s "
      "--workloads fft "
      "--plot map.svg");
  command->callback([options, &exit_code] { exit_code = run_compare(*options); });
}

}  // namespace skua::cli
