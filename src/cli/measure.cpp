#include "cli/measure.hpp"

#include <algorithm>
#include <chrono>

namespace skua::cli {

double measurement::median() const {
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

measurement measure(workloads::program& program, scheduler& pool, const measurement_plan& plan) {
  using clock = std::chrono::steady_clock;
  measurement result;
  std::vector<skua::report> reports;
  for (std::int64_t i = 0; i <= plan.repeat; ++i) {
    plan.about_to_run(i);
    program.prepare();
    pool.reset_report();
    const clock::time_point start = clock::now();
    pool.run([&] { program.parallel(); });
    const std::chrono::duration<double> took = clock::now() - start;
    if (i > 0) {
      reports.push_back(pool.report());
      result.seconds.push_back(took.count());
    }
    if (plan.damage) program.flip_one();
    const workloads::verdict verdict = program.verify();
    if (result.verified) result.says = verdict.says;
    result.verified = result.verified && verdict.correct;
  }
  // The run in the middle, the faster one of two.
  std::vector<double> sorted = result.seconds;
  std::ranges::sort(sorted);
  const auto middle = std::ranges::find(result.seconds, sorted[(sorted.size() - 1) / 2]);
  result.counted = reports[static_cast<std::size_t>(middle - result.seconds.begin())];
  return result;
}

}  // namespace skua::cli
