#include "cli/fuzz/runner.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "cli/fuzz/step.hpp"

namespace skua::cli::fuzz {
namespace {

constexpr std::uint64_t steps_a_process = 16;

using clock = std::chrono::steady_clock;

double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

/// Those options that the user has given.
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

/// "was ended by signal 11 ", of what own_runs says of a command and its output.
std::string how_it_ended(const std::string& complaint) {
  const std::size_t begin = complaint.find("` ") + 2;
  return complaint.substr(begin, complaint.find(':', begin) - begin) + ' ';
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

/// Its process may have ended in the middle of a step.
void fuzz_runner::read(const own_run& ran) {
  std::istringstream lines(ran.output);
  bool runs = false;
  std::uint64_t begun = 0;
  std::string said;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) {
      said += line + ' ';
    } else if (const nlohmann::json read = nlohmann::json::parse(line, nullptr, false);
               read.contains("begins")) {
      runs = true;
      begun = read["begins"];
    } else if (!read.is_discarded()) {
      runs = false;
      read_end(line);
    }
  }
  if (runs)
    find(begun, fmt::format("its process {}{}", how_it_ended(ran.complaint), said.substr(0, 300)));
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
  ++sum_.policies[policy.substr(0, policy.find('('))];
  if (const std::string wrong = ended["wrong"]; !wrong.empty()) find(ended["step"], wrong);
}

void fuzz_runner::find(std::uint64_t step, const std::string& wrong) {
  arguments words = words_of(fixed_);
  words.insert(words.end(), {"--step", std::to_string(step)});
  findings_.push_back({step, in_words(plan_of(fixed_, step)), wrong, as_typed(words)});
}

namespace {

/// True when nothing was wrong.
bool run_and_tell(const wishes& fixed, std::uint64_t step) {
  const plan drawn = plan_of(fixed, step);
  const step_outcome came_out = run_step(drawn);
  const nlohmann::ordered_json line{{"step", step},
                                    {"policy", drawn.scheduler.policy},
                                    {"workers", *drawn.scheduler.workers},
                                    {"tasks", came_out.tasks},
                                    {"events", came_out.events},
                                    {"stream", fmt::format("{:016x}", came_out.stream)},
                                    {"wrong", came_out.wrong}};
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
  return came_out.wrong.empty();
}

/// In a copy of this process: where the words of a step lie, and so its run, may depend on what was in memory before.
bool run_apart(const wishes& fixed, std::uint64_t step) {
  const pid_t copy = fork();
  if (copy < 0) throw std::runtime_error("there is no room for another process");
  if (copy == 0) std::_Exit(run_and_tell(fixed, step) ? 0 : 1);
  int status = 0;
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) std::raise(WTERMSIG(status));  // a process that runs steps ends as they do
  return status == 0;
}

}  // namespace

void run_steps_here(const wishes& fixed, const steps& which, std::optional<double> seconds) {
  const clock::time_point begin = clock::now();
  for (std::uint64_t step = which.first; step < which.first + which.count; ++step) {
    if (seconds && since(begin) > *seconds) return;
    fmt::print("{{\"begins\": {}}}\n", step);
    std::fflush(stdout);
    const bool well = which.count == 1 ? run_and_tell(fixed, step) : run_apart(fixed, step);
    if (!well) std::_Exit(0);
  }
}

}  // namespace skua::cli::fuzz
