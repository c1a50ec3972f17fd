#include "cli/scale/scale_plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/program_runs.hpp"
#include "report/account.hpp"

namespace skua::cli {

namespace {

program_command command_on(const scale_options& options, const std::string& policy, std::size_t workers) {
  const run_options& run = options.run;
  return {.program = run.name,
          .arguments = run.settings,
          .workers = workers,
          .policy = policy,
          .topology = run.topology,
          .distances = run.distances,
          .pin = run.pin,
          .seed = run.seed,
          .simulate = run.simulate,
          .level = run.level,
          .pages = run.pages,
          .replay = run.replay,
          .measured = run.measured,
          .free_looks = run.free_looks,
          .own_threads = run.own_threads};
}

/// The times of the workers are those of the run that took the median time.
void take(std::vector<std::pair<double, worker_times>> runs, paper::scaling_point& point) {
  for (const auto& [seconds, times] : runs) point.seconds.push_back(seconds);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::ranges::nth_element(runs, middle, {}, [](const auto& run) { return run.first; });
  point.times = middle->second;
}

}  // namespace

void check_program(const command& of, const scale_options& options) {
  check_program(options.run.name);
  refuse_for_program(of, options.run.name,
                     {"--size", "--input", "--continuation", "--own-order", "--serial", "--substrate",
                      "--slowdown", "--threads-a-core", "--radix", "--ideal-network", "--watchdog"});
}

std::string measure_program(const scale_options& options, paper::scaling& all,
                            const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto repeat = static_cast<std::size_t>(repeats(options.run, all.simulated));
  std::vector<program_command> commands;
  for (const paper::scaling_curve& curve : all.curves)
    for (const paper::scaling_point& point : curve.points)
      commands.insert(commands.end(), repeat, command_on(options, curve.policy, point.workers));
  progress(0, commands.size());
  const std::vector<program_run> runs = run_programs(
      commands, [&](std::size_t done) { progress(done, commands.size()); }, all.simulated ? options.jobs : 1);
  std::string of_most_workers;
  std::size_t i = 0;
  for (paper::scaling_curve& curve : all.curves)
    for (paper::scaling_point& point : curve.points) {
      if (&point == &all.curves.front().points.back()) of_most_workers = runs[i].report;
      std::vector<std::pair<double, worker_times>> measured;
      for (const std::size_t end = i + repeat; i < end; ++i) {
        const observe::run_record record = record_of(commands[i], runs[i]);
        measured.emplace_back(record.seconds, record.total_times());
        curve.policy = record.policy;
        if (!all.simulated) point.waiting_for_cpu.push_back(reports::account_of(record).waiting_for_cpu);
      }
      take(std::move(measured), point);
    }
  return of_most_workers;
}

}  // namespace skua::cli
