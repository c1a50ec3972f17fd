// `skua compare ./program ARGUMENT...`: any program that uses skua, by its variables and its report.
#include <skua/topology.hpp>

#include "cli/compare/compare_plan.hpp"
#include "cli/program_runs.hpp"

namespace skua::cli {

namespace {

program_command command_with(const compare_options& options, const paper::compared_block& block,
                             const std::string& policy, std::uint64_t seed) {
  return {.program = options.program,
          .arguments = options.arguments,
          .workers = block.workers,
          .policy = policy,
          .seed = seed,
          .simulate = block.is_real() ? "" : block.machine,
          .level = block.level,
          .pages = block.pages,
          .measured = options.measured};
}

/// On this machine the runs follow each other: two at a time would take each other's cores.
void run_block(const compare_options& options, paper::compared_block& block,
               const std::function<void()>& ended) {
  std::vector<paper::compared_cell*> cells;
  std::vector<program_command> commands;
  for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.seeds;
       ++seed)  // policies in turn, so that a disturbance affects all
    for (paper::compared_cell& cell : block.rows.front().cells) {
      cells.push_back(&cell);
      commands.push_back(command_with(options, block, cell.policy, seed));
    }
  const std::vector<program_run> runs =
      run_programs(commands, [&](std::size_t) { ended(); }, block.is_real() ? 1 : options.jobs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    take(*cells[i], [&] { return compared_run_of(record_of(commands[i], runs[i]), *commands[i].seed); });
}

}  // namespace

void check_program(const command& of, const compare_options& options) {
  if (!is_program(options.program))
    throw bad_input("'" + options.program +
                    "' is not the path of a program; allowed: ./program, or --workloads " + options.program +
                    or_program_here(options.program));
  check_program(options.program);
  refuse_for_program(of, options.program, {"--workloads", "--size", "--vary-input", "--repeat", "--from"});
  if (!options.machines.empty()) return;
  for (const char* const option : {"--level", "--pages", "--measured"})
    if (of.count(option) != 0)
      throw bad_input(std::string(option) +
                      " is for simulated machines; allowed: together with --simulate (or --machines)");
}

void measure_program(const compare_options& options, std::vector<paper::compared_block>& blocks,
                     const std::function<void(std::size_t, std::size_t)>& progress) {
  std::size_t done = 0, all = 0;
  for (const paper::compared_block& block : blocks) all += block.rows.front().cells.size() * options.seeds;
  progress(done, all);
  for (paper::compared_block& block : blocks) run_block(options, block, [&] { progress(++done, all); });
}

}  // namespace skua::cli
