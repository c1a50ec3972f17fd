#include "cli/fuzz/runner.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/list_text.hpp"
#include "base/process.hpp"
#include "cli/fuzz/program.hpp"
#include "cli/output.hpp"

namespace skua::cli::fuzz {
namespace {

constexpr std::uint64_t steps_a_process = 16;

using clock = std::chrono::steady_clock;

double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

/// A command line with the options that the user has given.
arguments words_of(const wishes& fixed) {
  arguments words{"fuzz", "--seed", std::to_string(fixed.seed)};
  if (!fixed.policy.empty()) words.insert(words.end(), {"--policy", fixed.policy});
  if (fixed.workers) words.insert(words.end(), {"--workers", std::to_string(*fixed.workers)});
  return words;
}

std::string as_typed(const arguments& words) {
  arguments quoted = words;
  for (std::string& word : quoted)
    if (word.find_first_of(" ()") != std::string::npos) word = '"' + word + '"';
  return fmt::format("skua {}", fmt::join(quoted, " "));
}

}  // namespace

fuzz_runner::fuzz_runner(const wishes& fixed, std::function<void(std::uint64_t)> progress)
    : fixed_(fixed), progress_(std::move(progress)) {}

void fuzz_runner::run(const steps& which, std::optional<double> seconds) {
  const clock::time_point begin = clock::now();
  const std::uint64_t end = which.first + which.count, at_a_time = 2 * topology::host().default_workers(true);
  for (std::uint64_t next = which.first; next < end && findings_.empty();) {
    const std::optional<double> left = seconds ? std::optional(*seconds - since(begin)) : std::nullopt;
    if (left && *left <= 0) return;
    std::vector<arguments> commands;
    for (; next < end && commands.size() < at_a_time; next += steps_a_process)
      commands.push_back(command({next, std::min(steps_a_process, end - next)}, left));
    for (const own_run& ran : run_ourselves(commands, [](auto...) {})) read(ran);
    progress_(sum_.steps);
  }
}

arguments fuzz_runner::command(const steps& which, std::optional<double> seconds) const {
  arguments words = words_of(fixed_);
  words.insert(words.end(), {"--from", std::to_string(which.first), "--steps", std::to_string(which.count),
                             "--in-process"});
  if (seconds)
    words.insert(words.end(), {"--seconds", std::to_string(static_cast<std::int64_t>(*seconds) + 1)});
  return words;
}

/// The process may have ended in the middle of a step.
void fuzz_runner::read(const own_run& ran) {
  std::istringstream lines(ran.output);
  bool running = false;
  std::uint64_t begun = 0;
  std::string other_output;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) {
      other_output += line + ' ';
    } else if (const nlohmann::json read = nlohmann::json::parse(line, nullptr, false);
               read.contains("begins")) {
      running = true;
      begun = read["begins"];
    } else if (!read.is_discarded()) {
      running = false;
      read_end(line);
    }
  }
  if (running)
    find(begun, fmt::format("its process {} {}", ran.ending, other_output.substr(0, 300)));
  else if (!ran.complaint.empty())
    throw std::runtime_error(ran.complaint);
}

void fuzz_runner::read_end(const std::string& line) {
  const nlohmann::json ended = nlohmann::json::parse(line);
  ++sum_.steps;
  sum_.tasks += ended["tasks"].get<std::uint64_t>();
  sum_.events += ended["events"].get<std::uint64_t>();
  const std::int64_t workers = ended["workers"];
  sum_.fewest_workers = std::min(sum_.fewest_workers, workers);
  sum_.max_workers_run = std::max(sum_.max_workers_run, workers);
  const std::string policy = ended["policy"];
  ++sum_.policies[std::string(base::name_before_parenthesis(policy))];
  if (const std::string wrong = ended["wrong"]; !wrong.empty()) find(ended["step"], wrong);
}

void fuzz_runner::find(std::uint64_t step, const std::string& wrong) {
  arguments words = words_of(fixed_);
  words.insert(words.end(), {"--step", std::to_string(step)});
  findings_.push_back({step, text_of(plan_of(fixed_, step)), wrong, as_typed(words)});
}

void print_json(const summary& sum, const std::vector<finding>& findings) {
  nlohmann::ordered_json all{{"steps", sum.steps},
                             {"tasks", sum.tasks},
                             {"events", sum.events},
                             {"fewest_workers", sum.fewest_workers},
                             {"most_workers", sum.max_workers_run},
                             {"policies", sum.policies},
                             {"findings", nlohmann::ordered_json::array()}};
  for (const finding& one : findings)
    all["findings"].push_back(
        {{"step", one.step}, {"what", one.what}, {"wrong", one.wrong}, {"replay", one.replay}});
  print_json_text(all);
}

namespace {

/// Limits far above what a step needs: it exceeds them only if it never ends, because workers spin or the one real thread
/// waits for itself. While one worker computes for long and another one, delayed by the schedule, has a message, all
/// others poll on a timer: up to 760,000 events per worker were seen.
constexpr std::uint64_t max_events = 20'000'000, max_events_a_worker = 2'000'000;
constexpr unsigned max_seconds = 280;

struct step_outcome {
  std::string wrong;  // empty, or an error in one sentence
  std::uint64_t tasks = 0, events = 0, stream = 0;
};

/// After a step with an error this process can run nothing more. A step that waits for ever in real time ends the process
/// by a signal.
step_outcome run_step(const plan& of) {
  const std::uint64_t limit =
      max_events + static_cast<std::uint64_t>(*of.scheduler.workers) * max_events_a_worker;
  setenv("SKUA_SIMULATE_HOSTILE", std::to_string(of.schedule).c_str(), 1);
  setenv("SKUA_SIMULATE_STEPS", std::to_string(limit).c_str(), 1);
  alarm(max_seconds);
  step_outcome outcome;
  ledger book(of.tasks);
  auto* const pool = new scheduler(of.scheduler);
  try {
    program(*pool, book, of.tasks, of.program).run();
    outcome.wrong = book.complaint();
  } catch (const std::exception& thrown) {
    outcome.wrong = book.complaint().empty() ? thrown.what() : book.complaint() + "; then " + thrown.what();
  }
  const simulation_report report = pool->simulated();
  outcome.tasks = book.begun();
  outcome.events = report.events;
  outcome.stream = report.stream;
  if (outcome.wrong.empty()) delete pool;  // else its threads may never end
  alarm(0);
  return outcome;
}

/// Returns whether there was no error.
bool run_and_print(const wishes& fixed, std::uint64_t step) {
  const plan drawn = plan_of(fixed, step);
  const step_outcome outcome = run_step(drawn);
  const nlohmann::ordered_json line{{"step", step},
                                    {"policy", drawn.scheduler.policy},
                                    {"workers", *drawn.scheduler.workers},
                                    {"tasks", outcome.tasks},
                                    {"events", outcome.events},
                                    {"stream", fmt::format("{:016x}", outcome.stream)},
                                    {"wrong", outcome.wrong}};
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
  return outcome.wrong.empty();
}

/// Runs the step in a copy of this process: its run depends on where its words lie, and so on what was in memory before.
bool run_apart(const wishes& fixed, std::uint64_t step) {
  const base::process_result ended = base::run_in_copy([&] { return run_and_print(fixed, step) ? 0 : 1; });
  if (!ended.started) throw std::runtime_error("cannot start another process");
  if (ended.signal != 0) std::raise(ended.signal);  // a process that runs steps ends as they do
  return ended.exit_code == 0;
}

}  // namespace

void run_steps_here(const wishes& fixed, const steps& which, std::optional<double> seconds) {
  const clock::time_point begin = clock::now();
  for (std::uint64_t step = which.first; step < which.first + which.count; ++step) {
    if (seconds && since(begin) > *seconds) return;
    fmt::print("{{\"begins\": {}}}\n", step);
    std::fflush(stdout);
    const bool well = which.count == 1 ? run_and_print(fixed, step) : run_apart(fixed, step);
    if (!well) std::_Exit(0);
  }
}

}  // namespace skua::cli::fuzz
