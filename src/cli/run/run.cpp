// `skua run`: runs a workload, verifies every answer, says how long it took and what was stolen from how far.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <new>

#include <skua/best_workers.hpp>

#include "cli/run/chosen_run.hpp"
#include "cli/commands.hpp"
#include "cli/run/measure.hpp"
#include "cli/progress_line.hpp"
#include "cli/refusals.hpp"
#include "cli/run/run_options.hpp"
#include "cli/run/run_report_file.hpp"
#include "cli/run/run_result.hpp"
#include "cli/workload_choice.hpp"

namespace skua::cli {
namespace {

/// The same program on several numbers of workers; none where the number was given.
std::vector<workers_trial> measured_workers(const run_options& options, workloads::program& program,
                                            const scheduler_options& chosen, progress_line& line) {
  if (options.workers != by_measurement) return {};
  const auto prepare = [&](std::size_t workers) {
    line.show(fmt::format("{} {}: trying {} worker{}", options.name, options.size, workers,
                          workers == 1 ? "" : "s"));
    program.prepare();
  };
  return try_workers(
      [&] { program.parallel(); },
      {.scheduler = chosen, .rounds = repeats(options, !options.simulate.empty()), .before_each = prepare});
}

/// Beside it the same on one worker, where that says something: not of one worker, and not into the same recording.
void report_run(const run_options& options, const scheduler_options& chosen, workloads::program& program,
                const measurement& measured, measurement_plan plan) {
  std::optional<observe::baseline_record> baseline;
  const std::size_t workers = observe::read_run_record(measured.record).workers.size();
  if (!options.no_baseline && workers > 1 && options.record.empty()) {
    plan.keep_record = false;
    plan.what += " on one worker";
    baseline = measure_baseline(program, chosen, measured, plan);
  }
  write_run_report(options.report, measured, baseline);
}

int run_workload(const run_options& options) {
  const workloads::workload& workload = chosen_workload(options.name);
  const workloads::parameters asked = chosen_parameters(workload, options);
  scheduler_options chosen = chosen_scheduler(options);
  if (options.size == "paper" && !options.json)  // it may take long, and more memory than there is
    fmt::print(stderr, "{} paper: {}\n", workload.name, workload.paper);
  progress_line line;
  line.show(fmt::format("{} {}: making the input", options.name, options.size));
  const std::unique_ptr<workloads::program> program = workload.make(asked);
  const std::vector<workers_trial> trials = measured_workers(options, *program, chosen, line);
  if (!trials.empty()) chosen.workers = static_cast<std::int64_t>(fewest_workers(trials));
  if (!options.report.empty()) check_can_write("--report", options.report);
  if (!options.trace.empty()) check_can_write("--trace", options.trace);
  if (!options.trace.empty() && options.trace == options.report)
    throw bad_input(fmt::format("--report and --trace are both '{}'; allowed: two files", options.trace));
  chosen.keep_report = !options.report.empty();
  chosen.keep_trace = !options.trace.empty();
  scheduler pool(chosen);
  const std::int64_t repeat = repeats(options, pool.is_simulated());
  const bool warm_up = !pool.is_simulated() || !options.substrate.empty();
  const measurement_plan plan{.repeat = repeat,
                              .warm_up = warm_up,
                              .keep_record = chosen.keep_report,
                              .damage = options.damage,
                              .line = line,
                              .what = fmt::format("{} {}", options.name, options.size)};
  const measurement m = measure(*program, pool, plan);
  if (!options.report.empty()) report_run(options, chosen, *program, m, plan);
  if (!options.trace.empty()) write_run_trace(options.trace, pool);
  line.clear();
  (options.json ? print_json : print_text)({options, pool, m, trials});
  return m.verified ? 0 : 1;
}

/// Options that allow more than this machine has are bad input too.
int run_within_memory(const run_options& options) try {
  return run_workload(options);
} catch (const std::bad_alloc&) {
  const std::string settings =
      options.settings.empty() ? "" : fmt::format(" with {}", fmt::join(options.settings, ", "));
  const bool smaller_size = options.size != size_names[0];
  throw bad_input(fmt::format(
      "{} {}{} needs more memory than there is; allowed: what fits into this machine's memory; nearest: {}",
      options.name, options.size, settings,
      smaller_size ? "a smaller --size, see skua list workloads" : "smaller options"));
}

/// Only a report has a speedup that may be estimated.
void refuse_baseline_of_nothing(const CLI::App& command) {
  if (command.count("--no-baseline") != 0 && command.count("--report") == 0)
    throw bad_input(
        "--no-baseline says what a report is without, and none is written; allowed: with --report FILE; "
        "nearest: without --no-baseline");
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<run_options>();
  CLI::App* command = app.add_subcommand("run", "Run a workload, verify its answer, say how long it took");
  add_program_options(*command, *options);
  command
      ->add_option(
          "--workers", options->workers,
          "workers, or measure: the fewest that are about as fast as all; else SKUA_WORKERS, else one a core")
      ->check(whole_number(1, max_workers, one_a_core, by_measurement));
  command->add_option("--policy", options->policy, "who steals from whom (skua list policies)");
  add_scheduler_options(*command, *options);
  add_simulation_options(*command, *options);
  command->add_flag("--times", options->times, "how long the workers did what, ten kinds of things");
  command->add_option("--report", options->report,
                      "a file for skua report: where the time of the run in the middle went");
  command->add_flag("--no-baseline", options->no_baseline,
                    "with --report: not on one worker too, so that the speedup is estimated");
  command->add_option("--trace", options->trace,
                      "a file for ui.perfetto.dev or chrome://tracing: what each worker ran when");
  command->add_flag("--json", options->json, "JSON instead of text");
  command->add_flag("--damage", options->damage, "change one element of every answer: the check must notice");
  command->footer(
      "Exit code: 0 when every answer was verified, 1 when not, 2 for bad input.\n"
      "Examples:\n"
      "  skua run fib\n"
      "  skua run heat --workers measure\n"
      "  skua run queens --size med --workers 2 test=pairwise cutoff=none\n"
      "  skua run heat --topology \"package:4 core:4 pu:1\" --policy random --json\n"
      "  skua run heat --simulate opteron-8380-4s --policy bitier\n"
      "  skua run heat --report run.json; skua report run.json");
  command->callback([options, command, &exit_code] {
    refuse_contradictions(*command);
    refuse_baseline_of_nothing(*command);
    exit_code = run_within_memory(*options);
  });
}

}  // namespace skua::cli
