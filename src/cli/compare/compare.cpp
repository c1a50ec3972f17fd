// `skua compare`: compares policies with `random`, as a table of ratios and a heat map: workloads on simulated machines, or a
// program on these or on this machine.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <stdexcept>

#include <skua/simulation.hpp>
#include <skua/topology.hpp>

#include "cli/command_line.hpp"
#include "cli/compare/compare_plan.hpp"
#include "cli/output.hpp"
#include "cli/program_runs.hpp"
#include "cli/progress_line.hpp"
#include "cli/workload_choice.hpp"
#include "paper/policy_comparison.hpp"

namespace skua::cli {
namespace {

using blocks = std::vector<paper::compared_block>;

void check(const compare_options& options) {
  if (!options.program.empty()) return;
  if (options.from.empty() && (options.machines.empty() || options.workloads.empty()))
    throw bad_input(
        "--machines and --workloads are missing; allowed without them: the path of a program, or --from FILE "
        "of "
        "skua compare --json");
  if (!options.from.empty() && (!options.machines.empty() || !options.workloads.empty()))
    throw bad_input("--from runs nothing; allowed: either --from, or --machines and --workloads");
}

paper::compared_run run_of(const own_run& ran, std::uint64_t seed) {
  if (!ran.complaint.empty()) throw std::runtime_error(ran.complaint);
  return compared_run_of(ran.output, seed);
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
        for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.seeds; ++seed) {
          slots.push_back({&cell, seed});
          commands.push_back(command_of(options, block, row, cell.policy, seed));
        }
  progress_line line;
  line.show_runs(0, commands.size());
  const std::vector<own_run> runs = run_ourselves(
      commands, [&](std::size_t done, auto...) { line.show_runs(done, commands.size()); }, options.jobs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    take(*slots[i].cell, [&] { return run_of(runs[i], slots[i].seed); });
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
  if (options.program.empty()) {
    run_all(options, all);
  } else {
    if (options.measured) say_that_times_are_measured();
    progress_line line;
    measure_program(options, all, [&](std::size_t done, std::size_t of) { line.show_runs(done, of); });
  }
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
    print_json(all);
  else
    for (std::size_t i = 0; i < all.size(); ++i)
      fmt::print("{}{}", i == 0 ? "" : "\n", paper::text_of(all[i]));
  plot.write([&] {
    const paper::heat_map map = paper::map_of(all);
    return paper::svg_file(map.title, {draw(map)});
  });
  markdown.write([&] { return markdown_of(all); });
  const std::string complaints = paper::complaints_of(all);
  fmt::print(stderr, "{}", complaints);
  return complaints.empty() ? 0 : 1;
}

void add_choices(command& compare, compare_options& options) {
  compare.option("PROGRAM", options.program, "the path of a program that uses skua, instead of --workloads");
  compare.option("ARGUMENT", options.arguments, "arguments of the program, after -- if they begin with -");
  compare.option("--machines,--simulate", options.machines,
                 "simulated machines: names from skua machines, or files, separated by commas\n"
                 "(default for a program: this machine)");
  compare.option("--workloads", options.workloads,
                 "workloads with their options, separated by commas: \"heat n=512 steps=4, mergesort\"");
  compare.option("--policies", options.policies,
                 "a list such as \"nearest(half), bitier\"; random is always included\n"
                 "(default: all but chaos and chase_lev)");
  compare
      .option("--size", options.size,
              "size of the input, where the options of a workload do not set it (default: ci)")
      .check(one_of({std::begin(size_names), std::end(size_names)}));
  compare.option("--seeds", options.seeds, "number of seeds (default: 5)").check(whole_number(1, 1000));
  compare.option("--first-seed", options.first_seed, "number of the first seed (default: 1)")
      .check(whole_number(1, 1'000'000));
  compare
      .option("--repeat", options.repeat,
              "runs of a workload for each seed, one after the other in one scheduler (default: 1)")
      .check(whole_number(1, 1'000'000));
  compare.flag(
      "--vary-input", options.varies_input,
      "each seed gives a workload another random input too; without it all runs have the same input");
  compare.option("--level", options.level, "level of detail: steps, lines, caches or bandwidth (default)")
      .transform(by_either_name)
      .check(one_of({std::begin(detail_level_names), std::end(detail_level_names)}));
  compare.flag(
      "--measured", options.measured,
      "a program's tasks take as long as on this machine, not as long as they declare (skua/declare.hpp)");
  compare
      .option("--pages", options.pages,
              "page placement: first_touch or interleave (default: as the machine file says)")
      .check(one_of({"first_touch", "interleave"}));
  compare.option("--workers", options.workers, "number of workers (default: one per core)")
      .check(whole_number(1, max_workers));
}

}  // namespace

void add_compare(command_set& commands) {
  const auto options = std::make_shared<compare_options>();
  command compare = commands.add(
      "compare",
      "Compare policies with random stealing: workloads or a program, on simulated machines or on this one");
  add_choices(compare, *options);
  compare.option("-j,--jobs", options->jobs, "number of runs at a time (default: one per CPU)")
      .check(whole_number(1, 1024));
  compare.option("--from", options->from, "show one or more files that --json printed; runs nothing");
  compare.option("--plot", options->plot, "draw all ratios as a heat map: FILE.svg");
  compare.option("--markdown", options->markdown, "write the tables as Markdown: FILE");
  compare.flag("--json", options->json, "print JSON instead of text, with all counts of the runs");
  compare.footer(
      "A policy counts as faster than another one if its slowest seed is faster than the other's fastest "
      "seed, and the runs have at least four different times.\n"
      "Exit code: 0 when everything was run and verified, 1 when a run failed, 2 for bad input.\n"
      "Examples:\n"
      "  skua compare --machines opteron-8380-4s --workloads \"heat n=512 steps=10, mergesort\"\n"
      "  skua compare --policies \"nearest, bitier\" -- ./program ARGUMENT...\n"
      "  skua compare --simulate opteron-8380-4s --measured -- ./program ARGUMENT...\n"
      "  skua compare --policies \"nearest, nearest(half)\" --machines epyc-9654-2s,xeon-8480plus-2s "
      "--workloads fft "
      "--plot map.svg");
  compare.action([options, compare] {
    if (!options->program.empty()) check_program(compare, *options);
    return run_compare(*options);
  });
}

}  // namespace skua::cli
