#include "cli/compare/compare_plan.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "base/list_text.hpp"
#include "cli/workload_choice.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

/// Hostile on purpose, or a baseline of the papers without the fast path: `all` does not include them.
constexpr std::string_view not_among_all[] = {"chaos", "chase_lev"};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// `random` is first, since the others are compared with it.
std::vector<std::string> chosen_policies(const std::string& list) {
  std::vector<std::string> chosen{std::string(paper::reference_policy)};
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(chosen, name) == chosen.end()) chosen.push_back(name);
  };
  for (const std::string& part : base::list_parts(list)) {
    if (part == "all") {
      for (const policy_info* policy : policies())
        if (std::ranges::find(not_among_all, policy->name) == std::end(not_among_all))
          add(std::string(policy->name));
    } else {
      check_policy(part);
      add(part);
    }
  }
  return chosen;
}

void check_workload(const std::string& text, const std::string& size) {
  const std::vector<std::string> words = words_of(text);
  const workloads::workload& workload = chosen_workload(words.front());
  workloads::parameters asked{.size = size_class_of(size)};
  read_settings(workload, {words.begin() + 1, words.end()}, asked);
  workload.make(asked);  // throws for wrong numbers
}

std::size_t workers_on(const compare_options& options, const std::string& machine) {
  const topology chosen =
      machine == paper::real_machine ? topology::host() : simulator::find_machine(machine).machine;
  if (options.workers.empty()) return chosen.default_workers();
  return static_cast<std::size_t>(std::stoll(options.workers));
}

/// A block of a machine, without rows.
paper::compared_block block_on(const compare_options& options, const std::string& machine) {
  paper::compared_block block{.machine = machine,
                              .size = options.size,
                              .level = options.level,
                              .pages = options.pages,
                              .workers = workers_on(options, machine),
                              .seeds = options.seeds,
                              .first_seed = options.first_seed,
                              .repeat = options.repeat,
                              .varies_input = options.varies_input};
  if (!options.program.empty()) {
    block.size.clear();
    block.is_program = true;
    block.is_measured = options.measured;
  }
  if (block.is_real()) block.level.clear();
  return block;
}

std::vector<std::string> chosen_rows(const compare_options& options) {
  if (!options.program.empty())
    return {options.arguments.empty()
                ? options.program
                : fmt::format("{} {}", options.program, fmt::join(options.arguments, " "))};
  std::vector<std::string> workloads = base::list_parts(options.workloads);
  if (workloads.empty())
    throw bad_input("--workloads is an empty list; allowed: names from skua list workloads");
  for (const std::string& workload : workloads) check_workload(workload, options.size);
  return workloads;
}

std::vector<std::string> chosen_machines(const compare_options& options) {
  if (options.machines.empty()) return {std::string(paper::real_machine)};
  std::vector<std::string> machines = base::list_parts(options.machines);
  if (machines.empty())
    throw bad_input("--machines is an empty list; allowed: names from skua machines, or files");
  return machines;
}

}  // namespace

std::vector<paper::compared_block> planned(const compare_options& options) {
  const std::vector<std::string> names = chosen_policies(options.policies),
                                 machines = chosen_machines(options), workloads = chosen_rows(options);
  std::vector<paper::compared_block> blocks;
  for (const std::string& machine : machines) {
    paper::compared_block block = block_on(options, machine);
    for (const std::string& workload : workloads) {
      paper::compared_row row{.workload = workload};
      for (const std::string& name : names) row.cells.push_back({.policy = name});
      block.rows.push_back(std::move(row));
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

arguments command_of(const compare_options& options, const paper::compared_block& block,
                     const paper::compared_row& row, const std::string& policy, std::uint64_t seed) {
  arguments words{"run"};
  for (std::string& word : words_of(row.workload)) words.push_back(std::move(word));
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(name);
    words.push_back(value);
  };
  add("--size", options.size);
  add("--simulate", block.machine);
  add("--policy", policy);
  // Another input may be another amount of work: only the policies' choices vary, unless the user asks for more.
  add(block.varies_input ? "--seed" : "--policy-seed", std::to_string(seed));
  add("--level", block.level);
  add("--pages", block.pages);
  add("--workers", std::to_string(block.workers));
  if (block.repeat > 1) add("--repeat", std::to_string(block.repeat));
  words.emplace_back("--json");
  return words;
}

}  // namespace skua::cli
