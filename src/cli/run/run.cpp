// `skua run`: runs a workload, verifies every answer, and prints its time and its steals by distance.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <new>

#include <skua/best_workers.hpp>
#include <skua/steal_policy.hpp>

#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/run/run_options.hpp"
#include "cli/run/run_result.hpp"
#include "cli/workload_choice.hpp"

namespace skua::cli {
namespace {

/// Times of the program on several numbers of workers; empty where the number is given.
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

/// Writes the record of the median run. It contains the time on one worker as well, unless the run has one worker or
/// records leaf times.
void write_run_report(const run_options& options, const scheduler_options& chosen,
                      workloads::program& program, const measurement& measured, measurement_plan plan) {
  observe::run_record record = observe::read_run_record(measured.record, "the run's record");
  if (!options.no_baseline && record.workers.size() > 1 && options.record.empty()) {
    plan.keep_record = false;
    plan.what += " on one worker";
    record.baseline = measure_baseline(program, chosen, measured, plan);
  }
  write_file("--report", options.report, observe::to_json(record));
}

int run_workload(const run_options& options) {
  const workloads::workload& workload = chosen_workload(options.name);
  const workloads::parameters asked = chosen_parameters(workload, options);
  scheduler_options chosen = chosen_scheduler(options);
  if (options.size == "paper" && !options.json)  // it may need much time and memory
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
  // What a policy such as auto has chosen is part of the JSON, and is found only in a record.
  const bool chooses =
      options.json && !options.policy.empty() && !make_policy(options.policy)->candidates().empty();
  chosen.keep_report = !options.report.empty() || chooses;
  chosen.keep_trace = !options.trace.empty();
  scheduler pool(chosen);
  const std::int64_t repeat = repeats(options, pool.is_simulated());
  const bool warm_up = !pool.is_simulated() || !options.substrate.empty();
  const measurement_plan plan{.repeat = repeat,
                              .warm_up = warm_up,
                              .keep_record = !options.report.empty(),
                              .corrupt_result = options.corrupt_result,
                              .line = line,
                              .what = fmt::format("{} {}", options.name, options.size)};
  measurement m = measure(*program, pool, plan);
  if (chooses) m.choices = observe::read_run_record(pool.report_json(), "the run's record").choices;
  if (!options.report.empty()) write_run_report(options, chosen, *program, m, plan);
  if (!options.trace.empty()) write_file("--trace", options.trace, pool.trace_json());
  line.clear();
  (options.json ? print_json : print_text)({options, pool, m, trials});
  return m.verified ? 0 : 1;
}

/// Options that need more memory than this machine has are bad input too.
int run_within_memory(const run_options& options) try {
  return run_workload(options);
} catch (const std::bad_alloc&) {
  const std::string settings =
      options.settings.empty() ? "" : fmt::format(" with {}", fmt::join(options.settings, ", "));
  const bool smaller_size = options.size != size_names[0];
  throw bad_input(
      fmt::format("{} {}{} needs more memory than there is; allowed: what fits into the memory of this "
                  "machine; nearest: {}",
                  options.name, options.size, settings,
                  smaller_size ? "a smaller --size, see skua list workloads" : "smaller options"));
}

/// --no-baseline changes the report only.
void refuse_no_baseline_alone(const command& command) {
  if (command.count("--no-baseline") != 0 && command.count("--report") == 0)
    throw bad_input(
        "--no-baseline changes a report, but no report is written; allowed: with --report FILE; nearest: "
        "without "
        "--no-baseline");
}

}  // namespace

void add_run(command_set& commands) {
  const auto options = std::make_shared<run_options>();
  command run = commands.add("run", "Run a workload, verify its answer and print its time");
  add_program_options(run, *options);
  run.option(
         "--workers", options->workers,
         "number of workers; or measure: the smallest number that is about as fast as all cores (default: "
         "SKUA_WORKERS, else one per core)")
      .check(whole_number(1, max_workers, by_measurement));
  run.option("--policy", options->policy, "the steal policy (skua list policies)");
  add_scheduler_options(run, *options);
  add_simulation_options(run, *options);
  run.flag("--times", options->times, "print the time per worker in each of ten activities");
  run.option("--report", options->report, "write a report of the median run to this file, for skua report");
  run.flag("--no-baseline", options->no_baseline,
           "with --report: no runs on one worker; the report then estimates the speedup");
  run.option("--trace", options->trace,
             "write a timeline of each worker to this file, for ui.perfetto.dev or chrome://tracing");
  run.flag("--json", options->json, "print JSON instead of text");
  run.flag("--corrupt-result", options->corrupt_result,
           "change one element of every answer, to test that the check fails");
  run.footer(
      "Exit code: 0 when every answer was verified, 1 when not, 2 for bad input.\n"
      "Examples:\n"
      "  skua run fib\n"
      "  skua run heat --workers measure\n"
      "  skua run queens --size med --workers 2 test=pairwise cutoff=none\n"
      "  skua run heat --topology \"package:4 core:4 pu:1\" --policy random --json\n"
      "  skua run heat --simulate opteron-8380-4s --policy bitier\n"
      "  skua run heat --report run.json; skua report run.json");
  run.action([options, run] {
    refuse_contradictions(run, *options);
    refuse_no_baseline_alone(run);
    return run_within_memory(*options);
  });
}

}  // namespace skua::cli
