#include "cli/scale/scale_program.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "base/process.hpp"
#include "cli/own_runs.hpp"
#include "cli/scale/memory_file.hpp"
#include "observe/run_record.hpp"

namespace skua::cli {

namespace {

std::vector<std::string> variables_of(const scale_options& options, const std::string& policy,
                                      std::size_t workers) {
  const run_options& run = options.run;
  std::vector<std::string> all = {"SKUA_WORKERS=" + std::to_string(workers)};
  const auto add = [&all](std::string_view name, const std::string& value) {
    if (!value.empty()) all.push_back(fmt::format("{}={}", name, value));
  };
  add("SKUA_POLICY", policy);
  add("SKUA_TOPOLOGY", run.topology);
  add("SKUA_DISTANCES", run.distances);
  add("SKUA_PIN", run.pin);
  if (run.simulate.empty()) return all;
  add("SKUA_SIMULATE", run.simulate);
  add("SKUA_SIMULATE_LEVEL", run.level);
  add("SKUA_SIMULATE_PAGES", run.pages);
  add("SKUA_SIMULATE_COSTS", run.measured ? "measured" : "declared");
  add("SKUA_SIMULATE_REPLAY", run.replay);
  add("SKUA_SIMULATE_FREE_LOOKS", run.free_looks ? "1" : "0");
  add("SKUA_SIMULATE_THREADS", run.own_threads ? "1" : "0");
  return all;
}

/// One run of the program, and what it left.
struct program_run {
  paper::scaling_curve* curve;
  paper::scaling_point* point;
  std::unique_ptr<memory_file> report;
  base::process_result ended = {};
};

void run_one(const scale_options& options, program_run& run) {
  std::vector<std::string> with = variables_of(options, run.curve->policy, run.point->workers);
  with.push_back("SKUA_REPORT=" + run.report->name());
  run.ended = base::run_process({.program = options.run.name,
                                 .arguments = options.run.settings,
                                 .without = "SKUA_",
                                 .with = std::move(with)});
}

observe::run_record record_of(const scale_options& options, const program_run& run) {
  const std::string text = run.report->text();
  const std::string on =
      fmt::format("`{}` on {}", options.run.name, base::counted(run.point->workers, "worker"));
  if (!run.ended.succeeded())
    throw std::runtime_error(
        fmt::format("{} {}: {}", on, run.ended.ending(), run.ended.output.substr(0, 300)));
  if (text.empty())
    throw std::runtime_error(on + " left no report: it does not use skua, or it ended by _exit()");
  observe::run_record record = observe::read_run_record(text, "the report of " + on);
  if (record.workers.size() != run.point->workers)
    throw std::runtime_error(fmt::format(
        "{} ran on {}, which it chose itself; scale needs a program that takes its number from SKUA_WORKERS",
        on, record.workers.size()));
  return record;
}

/// The times of the workers are those of the run that took the median time.
void take(std::vector<std::pair<double, worker_times>> runs, paper::scaling_point& point) {
  for (const auto& [seconds, times] : runs) point.seconds.push_back(seconds);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::ranges::nth_element(runs, middle, {}, [](const auto& run) { return run.first; });
  point.times = middle->second;
}

}  // namespace

bool is_program(const std::string& name) { return name.find('/') != std::string::npos; }

void check_program(const command& of, const scale_options& options) {
  const std::string& name = options.run.name;
  if (access(name.c_str(), X_OK) != 0)
    throw bad_input(
        fmt::format("program '{}' cannot be run; allowed: the path of a program that uses skua", name));
  for (const char* option :
       {"--size", "--input", "--seed", "--continuation", "--own-order", "--serial", "--substrate",
        "--slowdown", "--threads-a-core", "--radix", "--ideal-network", "--watchdog"})
    if (of.count(option) != 0)
      throw bad_input(
          fmt::format("{} is an option for workloads, and '{}' is a program; allowed: the program's own "
                      "arguments, after -- if they begin with -",
                      option, name));
}

std::string measure_program(const scale_options& options, paper::scaling& all,
                            const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto repeat = static_cast<std::size_t>(repeats(options.run, all.simulated));
  std::vector<program_run> runs;
  for (paper::scaling_curve& curve : all.curves)
    for (paper::scaling_point& point : curve.points)
      for (std::size_t i = 0; i < repeat; ++i)
        runs.push_back({&curve, &point, std::make_unique<memory_file>()});
  progress(0, runs.size());
  run_some_at_a_time(
      runs.size(), [&](std::size_t i) { run_one(options, runs[i]); },
      [&](std::size_t done, std::size_t) { progress(done, runs.size()); }, all.simulated ? options.jobs : 1);
  std::string of_most_workers;
  for (std::size_t i = 0; i < runs.size(); i += repeat) {
    std::vector<std::pair<double, worker_times>> measured;
    for (std::size_t k = i; k < i + repeat; ++k) {
      const observe::run_record record = record_of(options, runs[k]);
      measured.emplace_back(record.seconds, record.total_times());
      runs[k].curve->policy = record.policy;
    }
    take(std::move(measured), *runs[i].point);
    if (runs[i].point == &all.curves.front().points.back()) of_most_workers = runs[i].report->text();
  }
  return of_most_workers;
}

}  // namespace skua::cli
