#include "core/start/settings.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "base/whole_file.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/simulated_machine.hpp"
#include "policies/arguments.hpp"
#include "topology/affinity.hpp"
#include "topology/level_names.hpp"

namespace skua::core {

namespace {

constexpr std::int64_t max_workers = 4096;
constexpr std::int64_t min_stack_bytes = 16 * 1024;
constexpr std::int64_t max_stack_bytes = std::int64_t{1} << 32;
constexpr std::int64_t default_stack_bytes = 1024 * 1024;
constexpr std::int64_t usual_trace_events =
    2'000'000;  // 8 MB while the program runs, and some 300 MB of text
constinit thread_local int unreported_depth = 0;
const auto default_patience_s = static_cast<std::int64_t>(simulation{}.watchdog_s);

/// The index of the variable's value among `allowed`, after `plain` has translated it; `default_value` if it is not
/// set.
std::size_t choice_of(
    const char* name, std::span<const std::string_view> allowed, std::size_t default_value,
    std::string_view (*plain)(std::string_view) = [](std::string_view word) { return word; }) {
  const std::string_view text = plain(base::variable(name));
  if (text.empty()) return default_value;
  const auto found = std::ranges::find(allowed, text);
  if (found == allowed.end())
    throw bad_input(std::string(name) + " is '" + std::string(text) +
                    "'; allowed: " + base::list_of_names(allowed) + base::or_nearest(text, allowed));
  return static_cast<std::size_t>(found - allowed.begin());
}

detail_level chosen_level() {
  return static_cast<detail_level>(
      choice_of("SKUA_SIMULATE_LEVEL", detail_level_names, 3, detail::level_name));
}

std::string chosen_pages() {
  constexpr const char* variable = "SKUA_SIMULATE_PAGES";
  static_cast<void>(choice_of(variable, detail::page_policy_names, 0));
  return std::string(base::variable(variable));
}

/// `is` is the variable with its value.
bad_input cannot_be_written(const std::string& is) {
  return bad_input(is + ", which cannot be written; allowed: a file in a folder that exists");
}

std::string is_value(const char* variable, const std::string& value) {
  return std::string(variable) + " is '" + value + "'";
}

std::string chosen_recording(const std::string& replayed) {
  constexpr const char* variable = "SKUA_SIMULATE_RECORD";
  const std::string file(base::variable(variable));
  if (file.empty()) return file;
  if (!replayed.empty())
    throw bad_input(is_value(variable, file) + ", and SKUA_SIMULATE_REPLAY is '" + replayed +
                    "'; allowed: one of the two");
  if (!base::can_be_written(file)) throw cannot_be_written(is_value(variable, file));
  return file;
}

std::optional<simulation> chosen_simulation(const scheduler_options& options) {
  if (options.simulate) return options.simulate;
  static constexpr std::string_view costs[] = {"measured", "declared"};
  const std::string_view text = base::variable("SKUA_SIMULATE");
  if (text.empty()) return std::nullopt;
  const std::string replayed(base::variable("SKUA_SIMULATE_REPLAY"));
  return simulation{.machine = std::string(text),
                    .level = chosen_level(),
                    .pages = chosen_pages(),
                    .measured = choice_of("SKUA_SIMULATE_COSTS", costs, 0) == 0,
                    .record = chosen_recording(replayed),
                    .replay = replayed,
                    .free_looks = base::is_on("SKUA_SIMULATE_FREE_LOOKS", false),
                    .own_threads = base::is_on("SKUA_SIMULATE_THREADS", false),
                    .watchdog_s = static_cast<double>(
                        base::number_from("SKUA_SIMULATE_WATCHDOG_S", 0, 1'000'000, default_patience_s))};
}

// SKUA_DISTANCES belongs to the machine that the environment chose, not to one that the program chose.
topology chosen_machine(const scheduler_options& options) {
  const auto simulated = chosen_simulation(options);
  const auto machine_of_simulation = [&] {
    const auto find = [&] { return simulated_topology(*simulated); };
    return options.simulate ? find() : base::of_variable("SKUA_SIMULATE", find);
  };
  topology machine = options.topology ? *options.topology
                     : simulated      ? machine_of_simulation()
                                      : topology::from_environment();
  if (!options.distances.empty()) return machine.with_distances(options.distances);
  const std::string distances(options.topology ? "" : base::variable("SKUA_DISTANCES"));
  return distances.empty()
             ? machine
             : base::of_variable("SKUA_DISTANCES", [&] { return machine.with_distances(distances); });
}

policy_choice chosen_policy(const scheduler_options& options) {
  if (!options.policy.empty()) return policy_of(options.policy);
  const std::string text(base::variable("SKUA_POLICY"));
  if (text.empty()) return policy_of("nearest");
  return base::of_variable("SKUA_POLICY", [&] { return policy_of(text); });
}

std::size_t chosen_workers(const scheduler_options& options, const topology& machine,
                           const detail::pins& pins) {
  if (options.workers)
    return static_cast<std::size_t>(base::in_range("workers", *options.workers, 1, max_workers));
  const auto by_machine =
      static_cast<std::int64_t>(pins.cpus.empty() ? machine.default_workers(options.smt) : pins.cpus.size());
  return static_cast<std::size_t>(base::number_from("SKUA_WORKERS", 1, max_workers,
                                                    std::clamp<std::int64_t>(by_machine, 1, max_workers)));
}

detail::pins chosen_pins(const scheduler_options& options) {
  if (!options.cpus.empty()) return {.cpus = options.cpus, .asked = true};
  if (options.pin_order) return {.order = *options.pin_order, .asked = true};
  return detail::pins_of("SKUA_PIN", base::variable("SKUA_PIN"));
}

// The default seed given explicitly is treated like no seed.
std::uint64_t chosen_seed(const scheduler_options& options) {
  const std::uint64_t by_default = scheduler_options{}.seed;
  if (options.seed != by_default) return options.seed;
  return static_cast<std::uint64_t>(
      base::number_from("SKUA_SEED", 0, INT64_MAX, static_cast<std::int64_t>(by_default)));
}

// On other processors compilers keep the address of thread_local variables in a register across a switch.
continuation checked_continuation(continuation chosen) {
#if !defined(__x86_64__)
  if (chosen == continuation::free)
    throw bad_input("continuation is free; allowed on this processor: home; nearest: home");
#endif
  return chosen;
}

std::size_t chosen_stack_bytes(const scheduler_options& options) {
  if (options.stack_bytes != 0)
    return static_cast<std::size_t>(
        base::in_range("stack_bytes", options.stack_bytes, min_stack_bytes, max_stack_bytes));
  return static_cast<std::size_t>(
      base::bytes_from("SKUA_STACK_BYTES", min_stack_bytes, max_stack_bytes, default_stack_bytes));
}

struct known_file {
  std::string absolute;
  std::uint32_t process;  // the first one that used it
};

// Relative to the folder of the first call, also for later schedulers, because a program may change its folder.
known_file known_file_at(const std::string& name) {
  static fork_safe_lock& guard = *new fork_safe_lock;  // both also for schedulers in static objects
  static auto& known = *new std::map<std::string, known_file>;
  const std::lock_guard lock(guard);
  const auto [at, is_new] = known.try_emplace(name, known_file{name, process_generation()});
  std::error_code error;
  const auto absolute = std::filesystem::absolute(name, error);
  if (is_new && !error) at->second.absolute = absolute.string();
  return at->second;
}

constexpr std::string_view process_id = "%p";

bool differs_between_processes(const std::string& name) { return name.find(process_id) != std::string::npos; }

std::string file_of_process(std::string name) {
  if (const std::size_t at = name.find(process_id); at != std::string::npos)
    name.replace(at, process_id.size(), std::to_string(host_platform::process_number()));
  return name;
}

// The absolute name of the variable's file; %p stands for the process id. Checks in advance that the report can be written, so
// that an error does not appear after hours. Empty also in a child of fork() for a file of its parent, because the
// parent may be about to write it.
std::string chosen_name(const char* variable) {
  const std::string chosen(unreported_depth == 0 ? base::variable(variable) : "");
  if (chosen.empty()) return {};
  const known_file name = known_file_at(chosen);
  if (name.process != process_generation() && !differs_between_processes(chosen)) return {};
  if (!base::can_be_written(file_of_process(name.absolute)))
    throw cannot_be_written(is_value(variable, file_of_process(chosen)));
  return name.absolute;
}

}  // namespace

unreported::unreported() noexcept { ++unreported_depth; }
unreported::~unreported() { --unreported_depth; }
bool unreported::here() noexcept { return unreported_depth != 0; }

policy_choice policy_of(const std::string& text) {
  return {text, std::make_shared<const policy::parsed_policy>(policy::parse_policy(text))};
}

settings checked(const scheduler_options& options) {
  topology machine = chosen_machine(options);
  const auto simulated = chosen_simulation(options);
  detail::pins pins = chosen_pins(options);
  const std::size_t workers = chosen_workers(options, machine, pins);
  const binding bind = simulated ? binding::none : chosen_binding(options, machine, workers, pins);
  const std::string report_name = chosen_name("SKUA_REPORT"), trace_name = chosen_name("SKUA_TRACE");
  const std::string report_file = file_of_process(report_name), trace_file = file_of_process(trace_name);
  if (!report_file.empty() && report_file == trace_file)
    throw bad_input("SKUA_REPORT and SKUA_TRACE are both '" + report_file + "'; allowed: two files");
  const bool keep_report = options.keep_report || !report_file.empty();
  const bool keep_trace = options.keep_trace || !trace_file.empty();
  constexpr std::int64_t max_microseconds = std::int64_t{1} << 40;
  return settings{
      .workers = workers,
      .policy = chosen_policy(options),
      .machine = machine,
      .pins = std::move(pins),
      .bind = bind,
      .shares_cpus = !simulated && workers > detail::cpus_at_start().size(),
      .park_after_us = std::min(options.park_after_us, max_microseconds),
      .continuation = checked_continuation(options.continuation),
      .own_order = options.own_order,
      .suspended_stacks =
          static_cast<std::size_t>(base::in_range("suspended_stacks", options.suspended_stacks, 1, 1 << 20)),
      .stack_bytes = chosen_stack_bytes(options),
      .seed = chosen_seed(options),
      .simulate = simulated,
      .keep_times = options.keep_times || keep_report || keep_trace,
      .keep_report = keep_report,
      .keep_trace = keep_trace,
      .trace_events = static_cast<std::size_t>(
          base::number_from("SKUA_TRACE_EVENTS", 1000, 1'000'000'000, usual_trace_events)),
      .report_name = report_name,
      .trace_name = trace_name,
      .report_file = report_file,
      .trace_file = trace_file,
      .says_what_was_simulated = simulated && !options.simulate,
  };
}

settings in_child_process(settings parents) {
  const auto own = [](const std::string& name) {
    return differs_between_processes(name) ? file_of_process(name) : std::string();
  };
  parents.report_file = own(parents.report_name);
  parents.trace_file = own(parents.trace_name);
  if (parents.simulate) parents.simulate->record.clear();  // the file is the parent's
  return parents;
}

}  // namespace skua::core
