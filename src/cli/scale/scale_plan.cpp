#include "cli/scale/scale_plan.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <system_error>

#include <skua/scheduler.hpp>
#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "base/list_text.hpp"
#include "base/nearest_name.hpp"
#include "base/number_text.hpp"
#include "cli/program_runs.hpp"
#include "cli/workload_choice.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t few = 12;  // machines with more workers are measured at powers of two

/// Reads numbers of workers: "1..8", "1,2,4,8", "1..24:4", "1..N". `N` is the default number of workers. A range with a
/// step contains its end: "1..10:4" is 1, 5, 9, 10. The result is ascending, without duplicates. Throws bad_input.
class worker_list_reader {
 public:
  worker_list_reader(std::string_view text, std::size_t usual) : text_(text), usual_(usual) {}

  std::vector<std::size_t> all() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      read(text_.substr(begin, end - begin));
      begin = end + 1;
    }
    return {numbers_.begin(), numbers_.end()};
  }

 private:
  [[noreturn]] void refuse() const {
    throw bad_input(fmt::format(
        "--workers '{}' is not a list of worker counts; allowed: numbers from 1 to {}, N, ranges and "
        "steps, as in 1..8, 1,2,4,8 and 1..24:4{}",
        text_, max_workers, or_nearest()));
  }

  /// Near to a number is a number, and to a list any list. Nothing is near to another kind of thing, such as "1G" or "many".
  std::string or_nearest() const {
    const std::string number = base::or_nearest(text_, 1, max_workers);
    const bool is_list = text_.find_first_not_of("0123456789N.,:;- ") == std::string_view::npos;
    return number.empty() && is_list ? fmt::format("; nearest: 1..{}", usual_) : number;
  }

  std::size_t number(std::string_view word) const {
    if (word == "N") return usual_;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) refuse();
    if (value < 1 || value > static_cast<std::size_t>(max_workers)) refuse();
    return value;
  }

  void read(std::string_view part) {
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) {
      numbers_.insert(number(part));
      return;
    }
    const std::size_t colon = part.find(':', dots);
    const std::size_t first = number(part.substr(0, dots)),
                      last = number(part.substr(dots + 2, colon == std::string_view::npos
                                                              ? std::string_view::npos
                                                              : colon - dots - 2)),
                      step = colon == std::string_view::npos ? 1 : number(part.substr(colon + 1));
    if (first > last) refuse();
    for (std::size_t one = first; one < last; one += step) numbers_.insert(one);
    numbers_.insert(last);
  }

  const std::string_view text_;
  const std::size_t usual_;
  std::set<std::size_t> numbers_;
};

std::vector<std::size_t> default_workers(std::size_t usual) {
  std::vector<std::size_t> all;
  if (usual <= few)
    for (std::size_t one = 1; one < usual; ++one) all.push_back(one);
  else
    for (std::size_t one = 1; one < usual; one *= 2) all.push_back(one);
  all.push_back(usual);
  return all;
}

/// The default number of workers of the chosen machine.
std::size_t usual_number(const scale_options& options) {
  if (!options.run.simulate.empty())
    return simulator::find_machine(options.run.simulate).machine.default_workers();
  return options.run.topology.empty() ? topology::host().default_workers()
                                      : topology::parse(options.run.topology).default_workers();
}

/// Contains 1, the base of all speedups.
std::vector<std::size_t> chosen_workers(const scale_options& options) {
  const std::size_t usual = usual_number(options);
  std::vector<std::size_t> all =
      options.workers.empty() ? default_workers(usual) : worker_list_reader(options.workers, usual).all();
  if (all.front() != 1) all.insert(all.begin(), 1);
  return all;
}

std::vector<std::string> chosen_policies(const std::string& list) {
  std::vector<std::string> chosen;
  for (const std::string& name : base::list_parts(list)) {
    check_policy(name);
    if (std::ranges::find(chosen, name) == chosen.end()) chosen.push_back(name);
  }
  if (chosen.empty()) chosen.emplace_back();  // the default one; a run prints its name
  return chosen;
}

std::string program_of(const run_options& run) {
  if (is_program(run.name))
    return run.settings.empty() ? run.name : fmt::format("{} {}", run.name, fmt::join(run.settings, " "));
  std::string words = run.name + " " + run.size;
  if (!run.settings.empty()) words += fmt::format(", {}", fmt::join(run.settings, ", "));
  return words;
}

std::string machine_of(const run_options& run) {
  if (!run.simulate.empty()) return fmt::format("{}, simulated ({})", run.simulate, run.level);
  if (!run.topology.empty()) return fmt::format("{}, not real", run.topology);
  return fmt::format("this machine, {}", base::counted(topology::host().pus(), "CPU"));
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

/// Throws for what all runs would refuse, before they start.
void try_machine(const scale_options& options, const std::string& policy, std::size_t workers) {
  run_options max = options.run;
  max.policy = policy;
  max.workers = std::to_string(workers);
  const scheduler never_used(chosen_scheduler(max));
}

}  // namespace

paper::scaling planned(const scale_options& options) {
  if (!is_program(options.run.name)) {
    if (!workloads::find(options.run.name))
      if (const std::string here = or_program_here(options.run.name); !here.empty())
        throw bad_input(
            fmt::format("'{}' is neither a workload nor a path; allowed: names from skua list "
                        "workloads, or the path of a program{}",
                        options.run.name, here));
    const workloads::workload& workload = chosen_workload(options.run.name);
    workload.make(chosen_parameters(workload, options.run));  // throws for wrong numbers
  }
  paper::scaling all{.program = program_of(options.run),
                     .machine = machine_of(options.run),
                     .simulated = !options.run.simulate.empty(),
                     .cpus = topology::host().pus()};
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
  add("--own-order", run.own_order);
  if (run.repeat) add("--repeat", std::to_string(*run.repeat));
  if (run.seed) add("--seed", std::to_string(*run.seed));
  if (!run.simulate.empty()) add_simulation(run, words);
  words.insert(words.end(), {"--times", "--json"});
  return words;
}

}  // namespace skua::cli
