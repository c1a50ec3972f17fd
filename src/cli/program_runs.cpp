#include "cli/program_runs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "base/process.hpp"

namespace skua::cli {

namespace {

own_run run_one(const arguments& words) {
  base::process_result ended = base::run_process(
      {.program = "/proc/self/exe", .arguments = words, .name = "skua", .without = "SKUA_"});
  own_run ran{.output = std::move(ended.output), .ending = {}, .complaint = {}, .seconds = ended.seconds};
  if (ended.succeeded()) return ran;
  ran.ending = ended.ending();
  const std::string printed = ran.output.substr(0, ran.output.find_last_not_of('\n') + 1).substr(0, 300);
  ran.complaint = fmt::format("`skua {}` {}: {}", fmt::join(words, " "), ran.ending, printed);
  return ran;
}

}  // namespace

void run_some_at_a_time(std::size_t number, const std::function<void(std::size_t)>& one,
                        const std::function<void(std::size_t, std::size_t)>& ended, std::size_t at_a_time) {
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < number; i = next++) {
      one(i);
      const std::lock_guard lock(reporting);
      ended(++done, i);
    }
  };
  if (at_a_time == 0) at_a_time = topology::host().default_workers(true);
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(at_a_time, number); ++i) threads.emplace_back(work);
  work();
}

std::vector<own_run> run_ourselves(const std::vector<arguments>& commands,
                                   const std::function<void(std::size_t, std::size_t, const own_run&)>& ended,
                                   std::size_t at_a_time) {
  std::vector<own_run> runs(commands.size());
  run_some_at_a_time(
      commands.size(), [&](std::size_t i) { runs[i] = run_one(commands[i]); },
      [&](std::size_t done, std::size_t i) { ended(done, i, runs[i]); }, at_a_time);
  return runs;
}

memory_file::memory_file() : memory_(memfd_create("record of a run", 0)) {  // inherited by other processes
  if (memory_ < 0) throw std::system_error(errno, std::generic_category(), "there is no memory for a record");
}

memory_file::~memory_file() { close(memory_); }

std::string memory_file::name() const { return "/proc/self/fd/" + std::to_string(memory_); }

std::string memory_file::text() const {
  std::string text;
  char part[65536];
  for (;;) {
    const ssize_t got = pread(memory_, part, sizeof part, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

namespace {

std::vector<std::string> variables_of(const program_command& of) {
  std::vector<std::string> all = {"SKUA_WORKERS=" + std::to_string(of.workers)};
  const auto add = [&all](std::string_view name, const std::string& value) {
    if (!value.empty()) all.push_back(fmt::format("{}={}", name, value));
  };
  add("SKUA_POLICY", of.policy);
  add("SKUA_TOPOLOGY", of.topology);
  add("SKUA_DISTANCES", of.distances);
  add("SKUA_PIN", of.pin);
  add("SKUA_LEARNT", of.learnt);
  if (of.seed) add("SKUA_SEED", std::to_string(*of.seed));
  if (of.simulate.empty()) return all;
  add("SKUA_SIMULATE", of.simulate);
  add("SKUA_SIMULATE_LEVEL", of.level);
  add("SKUA_SIMULATE_PAGES", of.pages);
  add("SKUA_SIMULATE_COSTS", of.measured ? "measured" : "declared");
  add("SKUA_SIMULATE_REPLAY", of.replay);
  add("SKUA_SIMULATE_FREE_LOOKS", of.free_looks ? "1" : "0");
  add("SKUA_SIMULATE_THREADS", of.own_threads ? "1" : "0");
  return all;
}

std::string name_of(const program_command& command) {
  return fmt::format("`{}` on {}", command.program, base::counted(command.workers, "worker"));
}

program_run run_program(const program_command& command) try {
  const memory_file report;
  std::vector<std::string> with = variables_of(command);
  with.push_back("SKUA_REPORT=" + report.name());
  const base::process_result ended = base::run_process({.program = command.program,
                                                        .arguments = command.arguments,
                                                        .without = "SKUA_",
                                                        .with = std::move(with)});
  if (!ended.succeeded())
    return {
        .report = {},
        .complaint = fmt::format("{} {}: {}", name_of(command), ended.ending(), ended.output.substr(0, 300))};
  program_run run{.report = report.text(), .complaint = {}, .succeeded = true};
  if (run.report.empty())
    run.complaint = name_of(command) + " left no report: it does not use skua, or it ended by _exit()";
  return run;
} catch (const std::exception& error) {
  return {.report = {}, .complaint = error.what()};
}

/// Throws bad_input if the program ran with declared costs, and has declared none.
void refuse_without_costs(const program_command& command, const observe::run_record& record) {
  if (!record.simulated || command.measured || record.simulated->times.computing != 0) return;
  throw bad_input(
      name_of(command) +
      " declares no costs, so its tasks take no time; allowed: --measured, or skua::costs in its tasks");
}

/// Throws bad_input if the run succeeded and left no report: the other ones will not leave any either.
void refuse_without_skua(const program_command& command, const program_run& run) {
  if (run.succeeded && run.report.empty())
    throw bad_input(fmt::format(
        "program '{}' left no report, so it does not use skua, or it ends by _exit(); allowed: the path of a "
        "program that uses skua",
        command.program));
}

/// Whether all commands simulate with declared costs, so that one run shows whether there are any.
bool want_costs(const std::vector<program_command>& commands) {
  return commands.size() > 1 && std::ranges::all_of(commands, [](const program_command& one) {
           return !one.simulate.empty() && !one.measured;
         });
}

}  // namespace

bool is_program(const std::string& name) { return name.find('/') != std::string::npos; }

namespace {

bool can_be_run(const std::string& path) {
  std::error_code ignored;
  return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::string or_program_here(const std::string& name) {
  const bool is_here = !name.empty() && !is_program(name) && can_be_run("./" + name);
  return is_here ? "; nearest: ./" + name : "";
}

void check_program(const std::string& name) {
  if (!is_program(name))
    throw bad_input(fmt::format("'{}' is not the path of a program; allowed: a path, as in ./program{}", name,
                                or_program_here(name)));
  if (!can_be_run(name))
    throw bad_input(
        fmt::format("program '{}' cannot be run; allowed: the path of a program that uses skua", name));
}

void refuse_for_program(const command& of, const std::string& name, const std::vector<std::string>& options) {
  for (const std::string& option : options)
    if (of.count(option) != 0)
      throw bad_input(
          fmt::format("{} is an option for workloads, and '{}' is a program; allowed: the program's own "
                      "arguments, after -- if they begin with -",
                      option, name));
}

void say_that_times_are_measured() {
  fmt::print(
      stderr,
      "skua: the tasks take as long as on this machine, so each run differs; without --measured they take "
      "as long as they declare, and runs with the same seed are equal\n");
}

std::vector<program_run> run_programs(const std::vector<program_command>& commands,
                                      const std::function<void(std::size_t)>& ended, std::size_t at_a_time) {
  std::vector<program_run> runs(commands.size());
  std::size_t first = 0;
  const bool costs = want_costs(commands);
  if (costs || (at_a_time == 1 && !commands.empty())) {
    runs[0] = run_program(commands[0]);
    refuse_without_skua(commands[0], runs[0]);
    if (costs && runs[0].complaint.empty())
      refuse_without_costs(commands[0], observe::read_run_record(runs[0].report, "the report of a run"));
    ended(++first);
  }
  run_some_at_a_time(
      commands.size() - first, [&](std::size_t i) { runs[first + i] = run_program(commands[first + i]); },
      [&](std::size_t done, std::size_t) { ended(first + done); }, at_a_time);
  if (!commands.empty()) refuse_without_skua(commands[0], runs[0]);
  return runs;
}

observe::run_record record_of(const program_command& command, const program_run& run) {
  if (!run.complaint.empty()) throw std::runtime_error(run.complaint);
  const std::string on = name_of(command);
  observe::run_record record = observe::read_run_record(run.report, "the report of " + on);
  if (record.workers.size() != command.workers)
    throw std::runtime_error(fmt::format(
        "{} ran on {}, which it chose itself; needed: a program that takes its number from SKUA_WORKERS", on,
        record.workers.size()));
  if (!command.policy.empty() && record.policy != command.policy)
    throw std::runtime_error(fmt::format(
        "{} ran with the policy {}, which it chose itself; needed: a program that takes {} from SKUA_POLICY",
        on, record.policy, command.policy));
  refuse_without_costs(command, record);
  return record;
}

}  // namespace skua::cli
