// Runs the scenarios of a model test as they are. Then it runs them again once for each memory order, which it weakens, and
// for each fence, which it leaves out. Each of these mutants must fail, or an excuse must state why it cannot. Planted
// scenarios, which contain a mistake, must fail too.
//
// Each run is random with a fixed seed: Relacy seeds iteration n with n, and the iterations are 1 to `iterations`.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "checked_platform.hpp"

namespace skua::model {

/// A scenario with its name.
struct named_scenario {
  const char* name;
  rl::test_result_e (*run)(rl::test_params&);
};

template <class Scenario>
rl::test_result_e run_random(rl::test_params& params) {
  std::ostringstream discarded;
  params.progress_stream = &discarded;
  if (!params.collect_history) params.output_stream = &discarded;
  return rl::run_test<Scenario, rl::random_scheduler<Scenario::params::thread_count>>(params, discarded,
                                                                                      false);
}

/// Runs all schedules with at most `switches` preemptions instead of random ones. It is for scenarios of at most 128
/// choices: with more, Relacy's search confuses its allocators.
template <class Scenario, unsigned switches>
rl::test_result_e run_bounded(rl::test_params& params) {
  std::ostringstream discarded;
  params.progress_stream = &discarded;
  if (!params.collect_history) params.output_stream = &discarded;
  params.search_type = rl::sched_bound;
  params.context_bound = switches;
  return rl::run_test<Scenario, rl::context_bound_scheduler<Scenario::params::thread_count>>(
      params, discarded, false);
}

/// A mutant that need not fail in this test. It is named by function and operation, because line numbers change.
struct excuse {
  std::string function;
  const char* operation;
  const char* mutant;  // as printed: "acquire -> relaxed", "left out"; empty: all mutants of this operation
  int which;           // 0: all; 1, 2, ...: the first, second, ... such operation in the function
  const char* reason;
};

/// What a test covers: whole files, and single functions of other files. The scenarios must reach all orders in the files.
struct subject {
  std::vector<std::string> files;
  std::vector<std::string> functions;  // "file:function"
};

class mutant_test {
 public:
  mutant_test(subject s, std::vector<named_scenario> scenarios, std::vector<excuse> excuses,
              std::vector<named_scenario> planted = {});

  /// Returns the exit code of the test. Unchanged scenarios run `iterations` times, each scenario of a mutant at most
  /// `mutant_iterations` times, and that of an excused mutant `excused_iterations` times, or a tenth of the former.
  int run(rl::iteration_t iterations, rl::iteration_t mutant_iterations,
          rl::iteration_t excused_iterations = 0);

 private:
  void as_shipped(rl::iteration_t iterations);
  void every_order_reached();
  void must_fail(const named_scenario& wrong, rl::iteration_t max);
  void weaken(int i, std::memory_order weaker, rl::iteration_t max, rl::iteration_t max_if_excused);
  bool ours(const ordered_site& s) const;
  const excuse* find_excuse(int i, const std::string& mutant);
  void fail(const std::string& what);
  int finish();

  subject subject_;
  std::vector<named_scenario> scenarios_;
  std::vector<excuse> excuses_;
  std::vector<named_scenario> planted_;
  std::vector<bool> used_;
  int failures_ = 0;
};

}  // namespace skua::model
