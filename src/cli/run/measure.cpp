#include "cli/run/measure.hpp"

#include <algorithm>
#include <chrono>

#include "cli/run/run_progress.hpp"

namespace skua::cli {

double measurement::median() const {
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

namespace {

/// Seconds since whenever, of the machine on which the scheduler runs.
double now(const scheduler& pool) {
  const std::chrono::duration<double> real = std::chrono::steady_clock::now().time_since_epoch();
  return pool.is_simulated() ? pool.simulated().seconds : real.count();
}

/// What was counted since, by what the threads did.
simulation_report difference(simulation_report after, const simulation_report& before) {
  for (const named_time& one : simulated_time_names) after.times.*one.cycles -= before.times.*one.cycles;
  for (const named_operation& one : simulated_operation_names) {
    simulated_operation& now = after.operations.*one.operation;
    now.times -= (before.operations.*one.operation).times;
    now.cycles -= (before.operations.*one.operation).cycles;
  }
  after.tasks.run -= before.tasks.run;
  after.tasks.stolen -= before.tasks.stolen;
  return after;
}

}  // namespace

measurement measure(workloads::program& program, scheduler& pool, const measurement_plan& plan) {
  measurement result;
  run_progress shown(program, pool, plan.line, plan.what, {.runs = plan.repeat, .warm_up = plan.warm_up});
  std::vector<skua::report> reports;
  std::vector<std::string> records;
  for (std::int64_t i = plan.warm_up ? 0 : 1; i <= plan.repeat; ++i) {
    shown.about_to_run(i);
    program.prepare();
    pool.reset_report();
    const double start = now(pool);
    const simulation_report before = pool.is_simulated() ? pool.simulated() : simulation_report{};
    pool.run([&] { program.parallel(); });
    const double took = now(pool) - start;
    if (pool.is_simulated()) result.simulated = difference(pool.simulated(), before);
    if (i > 0) {
      reports.push_back(pool.report());
      if (plan.keep_record) records.push_back(pool.report_json());
      result.seconds.push_back(took);
    }
    if (plan.damage) program.flip_one();
    shown.about_to_check();
    const workloads::verdict verdict = program.verify();
    if (result.verified) result.answer = verdict.message;
    result.verified = result.verified && verdict.correct;
  }
  result.numbers = program.numbers();
  // The run in the middle, the faster one of two.
  std::vector<double> sorted = result.seconds;
  std::ranges::sort(sorted);
  const auto middle = std::ranges::find(result.seconds, sorted[(sorted.size() - 1) / 2]);
  const auto at = static_cast<std::size_t>(middle - result.seconds.begin());
  result.counted = reports[at];
  if (plan.keep_record) result.record = std::move(records[at]);
  return result;
}

}  // namespace skua::cli
