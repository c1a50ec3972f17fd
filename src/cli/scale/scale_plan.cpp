#include "cli/scale/scale_plan.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <skua/scheduler.hpp>
#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "cli/run/chosen_run.hpp"
#include "cli/compare/compare_plan.hpp"
#include "cli/worker_list.hpp"
#include "cli/workload_choice.hpp"
#include "report/words.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

/// As many as skua takes where nobody says how many.
std::size_t usual_number(const scale_options& options) {
  if (!options.run.simulate.empty())
    return simulator::find_machine(options.run.simulate).machine.default_workers();
  return options.run.topology.empty() ? topology::host().default_workers()
                                      : topology::parse(options.run.topology).default_workers();
}

/// One worker is what all others are held against.
std::vector<std::size_t> chosen_workers(const scale_options& options) {
  const std::size_t usual = usual_number(options);
  std::vector<std::size_t> all =
      options.workers.empty() ? usual_workers(usual) : worker_list(options.workers, usual);
  if (all.front() != 1) all.insert(all.begin(), 1);
  return all;
}

std::vector<std::string> chosen_policies(const std::string& list) {
  std::vector<std::string> chosen;
  for (const std::string& name : parts_of(list)) {
    make_policy(name);  // complains of what is none
    if (std::ranges::find(chosen, name) == chosen.end()) chosen.push_back(name);
  }
  if (chosen.empty()) chosen.emplace_back();  // the usual one, whose name a run says
  return chosen;
}

std::string program_of(const run_options& run) {
  std::string words = run.name + " " + run.size;
  if (!run.settings.empty()) words += fmt::format(", {}", fmt::join(run.settings, ", "));
  return words;
}

std::string machine_of(const run_options& run) {
  if (!run.simulate.empty()) return fmt::format("{}, simulated ({})", run.simulate, run.level);
  if (!run.topology.empty()) return fmt::format("{}, not real", run.topology);
  return fmt::format("this machine, {}", reports::counted(topology::host().pus(), "CPU"));
}

void add_simulation(const run_options& run, arguments& words) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--simulate", run.simulate);
  add("--level", run.level);
  add("--pages", run.pages);
  add("--substrate", run.substrate);
  add("--slowdown", fmt::format("{}", run.slowdown));
  if (run.threads_a_core != 0) add("--threads-a-core", std::to_string(run.threads_a_core));
  if (run.radix != 0) add("--radix", std::to_string(run.radix));
  add("--watchdog", fmt::format("{}", run.watchdog_s));
  add("--replay", run.replay);
  if (run.ideal_network) words.emplace_back("--ideal-network");
  if (run.measured) words.emplace_back("--measured");
  if (run.free_looks) words.emplace_back("--free-looks");
  if (run.own_threads) words.emplace_back("--own-threads");
}

/// Complains of what the runs would: once, before they start.
void try_machine(const scale_options& options, const std::string& policy, std::size_t workers) {
  run_options max = options.run;
  max.policy = policy;
  max.workers = std::to_string(workers);
  const scheduler never_used(chosen_scheduler(max));
}

}  // namespace

paper::scaling planned(const scale_options& options) {
  const workloads::workload& workload = chosen_workload(options.run.name);
  workload.make(chosen_parameters(workload, options.run));  // complains of numbers
  paper::scaling all{.program = program_of(options.run),
                     .machine = machine_of(options.run),
                     .simulated = !options.run.simulate.empty()};
  const std::vector<std::size_t> numbers = chosen_workers(options);
  for (const std::string& policy : chosen_policies(options.policies)) {
    paper::scaling_curve& curve = all.curves.emplace_back(paper::scaling_curve{.policy = policy});
    for (const std::size_t workers : numbers) curve.points.push_back({.workers = workers});
    try_machine(options, policy, numbers.back());
  }
  return all;
}

arguments command_of(const scale_options& options, const std::string& policy, std::size_t workers) {
  const run_options& run = options.run;
  arguments words{"run", run.name};
  words.insert(words.end(), run.settings.begin(), run.settings.end());
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--size", run.size);
  add("--input", run.input);
  add("--policy", policy);
  add("--workers", std::to_string(workers));
  add("--topology", run.topology);
  add("--distances", run.distances);
  add("--pin", run.pin);
  add("--continuation", run.continuation);
  add("--own", run.own);
  if (run.repeat) add("--repeat", std::to_string(*run.repeat));
  if (run.seed) add("--seed", std::to_string(*run.seed));
  if (!run.simulate.empty()) add_simulation(run, words);
  words.insert(words.end(), {"--times", "--json"});
  return words;
}

void take(const own_run& ran, paper::scaling_curve& curve, paper::scaling_point& point) {
  if (!ran.complaint.empty()) throw std::runtime_error(ran.complaint);
  const auto said = nlohmann::json::parse(ran.output);
  if (!said.at("verified"))
    throw std::runtime_error(fmt::format("the answer on {} is wrong: {}",
                                         reports::counted(point.workers, "worker"),
                                         said.at("answer").get<std::string>()));
  curve.policy = said.at("policy");
  point.seconds = said.at("seconds_of_runs").get<std::vector<double>>();
  const auto& ns = said.at("times").at("ns");
  for (std::size_t i = 0; i < activity_count; ++i) point.times.ns[i] = ns.at(std::string(activity_names[i]));
}

}  // namespace skua::cli
