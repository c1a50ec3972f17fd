// `skua fuzz`: random programs on simulated machines under hostile schedules, each of which checks itself.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <skua/steal_policy.hpp>

#include "cli/commands.hpp"
#include "cli/fuzz/runner.hpp"
#include "cli/progress_line.hpp"
#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

struct fuzz_options {
  fuzz::wishes fixed;
  std::optional<std::uint64_t> steps, step;
  std::uint64_t from = 0;
  std::optional<double> seconds;
  bool json = false, in_process = false;
};

constexpr std::uint64_t usual_steps = 1000, no_end = std::uint64_t{1} << 40;

fuzz::steps chosen_steps(const fuzz_options& options) {
  if (options.step) return {*options.step, 1};
  return {options.from, options.steps.value_or(options.seconds ? no_end : usual_steps)};
}

/// By time, where only that ends it.
double share_done(const fuzz_options& options, std::uint64_t steps, double seconds) {
  const double by_steps =
      options.steps ? static_cast<double>(steps) / static_cast<double>(*options.steps) : 0;
  return std::max(by_steps, options.seconds ? seconds / *options.seconds
                                            : static_cast<double>(steps) /
                                                  static_cast<double>(chosen_steps(options).count));
}

void print_text(const fuzz::summary& sum, const std::vector<fuzz::finding>& findings) {
  fmt::print("{} steps, {} policies, {} to {} workers, {} tasks, {} events of workers: {}\n", sum.steps,
             sum.policies.size(), sum.fewest_workers, sum.max_workers_run, sum.tasks, sum.events,
             findings.empty() ? "nothing found" : "something is wrong");
  for (const fuzz::finding& one : findings)
    fmt::print("step {}, {}:\n  {}\n  replay: {}\n", one.step, one.what, one.wrong, one.replay);
}

void print_json(const fuzz::summary& sum, const std::vector<fuzz::finding>& findings) {
  nlohmann::ordered_json all{{"steps", sum.steps},
                             {"tasks", sum.tasks},
                             {"events", sum.events},
                             {"fewest_workers", sum.fewest_workers},
                             {"most_workers", sum.max_workers_run},
                             {"policies", sum.policies},
                             {"findings", nlohmann::ordered_json::array()}};
  for (const fuzz::finding& one : findings)
    all["findings"].push_back(
        {{"step", one.step}, {"what", one.what}, {"wrong", one.wrong}, {"replay", one.replay}});
  fmt::print("{}\n", all.dump(2));
}

int run_fuzz(const fuzz_options& options) {
  if (!options.fixed.policy.empty()) make_policy(options.fixed.policy);  // throws for what there is not
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
  (options.json ? print_json : print_text)(runner.sum(), runner.findings());
  return runner.findings().empty() ? 0 : 1;
}

}  // namespace

void add_fuzz(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<fuzz_options>();
  CLI::App* command = app.add_subcommand(
      "fuzz", "Run random programs on simulated machines whose schedules are hostile, and check them");
  command->add_option("--seed", options->fixed.seed, "of everything that is drawn, 1 if not given")
      ->check(whole_number(0, INT64_MAX, [] { return 1; }));
  command->add_option("--steps", options->steps, "a program on a machine each; 1000 if not given")
      ->check(whole_number(1, static_cast<std::int64_t>(no_end), [] { return std::int64_t{usual_steps}; }));
  command->add_option("--seconds", options->seconds, "stop after so long; then there are steps without end")
      ->check(whole_number(1, 1'000'000));
  command->add_option("--step", options->step, "only this one, as a finding's replay says")
      ->check(whole_number(0, INT64_MAX));
  command->add_option("--policy", options->fixed.policy, "this one in every step (skua list policies)");
  command->add_option("--workers", options->fixed.workers, "so many in every step")
      ->check(whole_number(1, fuzz::max_workers));
  command->add_flag("--json", options->json, "JSON instead of text");
  command->add_option("--from", options->from, "the first step")->check(whole_number(0, INT64_MAX));
  command->add_flag("--in-process", options->in_process,
                    "the steps in this very process, for a debugger: two lines of JSON each");
  command->footer(
      "Exit code: 0 when nothing was found, 1 when something was, 2 for bad input.\n"
      "Examples:\n"
      "  skua fuzz --seed 7 --steps 200\n"
      "  skua fuzz --seconds 60 --policy managers\n"
      "  skua fuzz --seed 7 --step 123");
  command->callback([options, &exit_code] { exit_code = run_fuzz(*options); });
}

}  // namespace skua::cli
