// `skua fuzz`: runs random programs, which check themselves, on simulated machines with hostile schedules.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <skua/steal_policy.hpp>

#include "base/number_text.hpp"
#include "cli/command_line.hpp"
#include "cli/fuzz/runner.hpp"
#include "cli/progress_line.hpp"

namespace skua::cli {
namespace {

struct fuzz_options {
  fuzz::wishes fixed;
  std::optional<std::uint64_t> steps, step;
  std::uint64_t from = 0;
  std::optional<double> seconds;
  bool json = false, in_process = false;
};

constexpr std::uint64_t default_steps = 1000, no_end = std::uint64_t{1} << 40;

fuzz::steps chosen_steps(const fuzz_options& options) {
  if (options.step) return {*options.step, 1};
  return {options.from, options.steps.value_or(options.seconds ? no_end : default_steps)};
}

/// By time where only the time is limited.
double share_done(const fuzz_options& options, std::uint64_t steps, double seconds) {
  const double by_steps =
      options.steps ? static_cast<double>(steps) / static_cast<double>(*options.steps) : 0;
  return std::max(by_steps, options.seconds ? seconds / *options.seconds
                                            : static_cast<double>(steps) /
                                                  static_cast<double>(chosen_steps(options).count));
}

void print_text(const fuzz::summary& sum, const std::vector<fuzz::finding>& findings) {
  const std::size_t policies = sum.policies.size();
  fmt::print("{} {}, {} {}, {} to {} workers, {} {}, {} {}: {}\n", sum.steps, base::noun(sum.steps, "step"),
             policies, policies == 1 ? "policy" : "policies", sum.fewest_workers, sum.max_workers_run,
             sum.tasks, base::noun(sum.tasks, "task"), sum.events, base::noun(sum.events, "worker event"),
             findings.empty() ? "no errors" : "errors found");
  for (const fuzz::finding& one : findings)
    fmt::print("step {}, {}:\n  {}\n  replay: {}\n", one.step, one.what, one.wrong, one.replay);
}

int run_fuzz(const fuzz_options& options) {
  if (!options.fixed.policy.empty()) check_policy(options.fixed.policy);
  if (options.in_process) {
    fuzz::run_steps_here(options.fixed, chosen_steps(options), options.seconds);
    return 0;
  }
  progress_line line;
  const auto begin = std::chrono::steady_clock::now();
  fuzz::fuzz_runner runner(options.fixed, [&](std::uint64_t done) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    line.show(share_done(options, done, passed.count()), fmt::format("{} steps", done));
  });
  runner.run(chosen_steps(options), options.seconds);
  line.clear();
  (options.json ? fuzz::print_json : print_text)(runner.sum(), runner.findings());
  return runner.findings().empty() ? 0 : 1;
}

}  // namespace

void add_fuzz(command_set& commands) {
  const auto options = std::make_shared<fuzz_options>();
  command tool = commands.add(
      "fuzz", "Run random programs on simulated machines with hostile schedules and check their results");
  tool.option("--seed", options->fixed.seed, "seed of all random choices (default: 1)")
      .check(whole_number(0, INT64_MAX));
  tool.option("--steps", options->steps,
              "number of tests; each runs one random program on one machine (default: 1000)")
      .check(whole_number(1, static_cast<std::int64_t>(no_end)));
  tool.option("--seconds", options->seconds,
              "stop after this time; the default number of steps is then unlimited")
      .check(whole_number(1, 1'000'000));
  tool.option("--step", options->step, "run only this step, for example to repeat a failure")
      .check(whole_number(0, INT64_MAX));
  tool.option("--policy", options->fixed.policy, "use this policy in every step (skua list policies)");
  tool.option("--workers", options->fixed.workers, "use this number of workers in every step")
      .check(whole_number(1, fuzz::max_workers));
  tool.flag("--json", options->json, "print JSON instead of text");
  tool.option("--from", options->from, "the first step").check(whole_number(0, INT64_MAX));
  tool.flag("--in-process", options->in_process,
            "run the steps in this process, for a debugger; prints two lines of JSON for each");
  tool.footer(
      "Exit code: 0 when no error was found, 1 when one was found, 2 for bad input.\n"
      "Examples:\n"
      "  skua fuzz --seed 7 --steps 200\n"
      "  skua fuzz --seconds 60 --policy managers\n"
      "  skua fuzz --seed 7 --step 123");
  tool.action([options] { return run_fuzz(*options); });
}

}  // namespace skua::cli
