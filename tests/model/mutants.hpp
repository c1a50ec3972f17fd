// Runs the scenarios of a model test as they are. Then it runs them again once for each memory order, which it weakens, and
// for each fence, which it leaves out. Each of these mutants must fail, or an excuse must state why it cannot. Planted
// scenarios, which contain a mistake, must fail too.
//
// Each run is random with a fixed seed: Relacy seeds iteration n with n, and the iterations are 1 to `iterations`.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "checked_platform.hpp"

namespace skua::model {

/// A scenario with its name.
struct named_scenario {
  const char* name;
  rl::test_result_e (*run)(rl::test_params&);
};

/// The functions of a scenario. By these pointers, mutants.cpp alone instantiates Relacy's checker, once for each number of
/// threads and not once for each scenario.
struct scenario_functions {
  std::size_t bytes, alignment;
  void (*construct)(void*);
  void (*destroy)(void*);
  void (*before)(void*);
  void (*thread)(void*, unsigned index);
  void (*after)(void*);
  void (*invariant)(void*);
};
template <class Scenario>
constexpr scenario_functions functions_of{
    sizeof(Scenario),
    alignof(Scenario),
    [](void* memory) { ::new (memory) Scenario(); },
    [](void* s) { static_cast<Scenario*>(s)->~Scenario(); },
    [](void* s) { static_cast<Scenario*>(s)->before(); },
    [](void* s, unsigned index) { static_cast<Scenario*>(s)->thread(index); },
    [](void* s) { static_cast<Scenario*>(s)->after(); },
    [](void* s) { static_cast<Scenario*>(s)->invariant(); },
};

rl::test_result_e run_random(const scenario_functions& scenario, int threads, rl::test_params& params);
rl::test_result_e run_bounded(const scenario_functions& scenario, int threads, unsigned switches,
                              rl::test_params& params);

template <class Scenario>
rl::test_result_e run_random(rl::test_params& params) {
  static_assert(Scenario::params::thread_count >= 2 && Scenario::params::thread_count <= max_threads);
  return run_random(functions_of<Scenario>, Scenario::params::thread_count, params);
}

/// Runs all schedules with at most `switches` preemptions instead of random ones. It is for scenarios of at most 128
/// choices: with more, Relacy's search confuses its allocators. mutants.cpp has this search for two and three threads.
template <class Scenario, unsigned switches>
rl::test_result_e run_bounded(rl::test_params& params) {
  static_assert(Scenario::params::thread_count == 2 || Scenario::params::thread_count == 3);
  return run_bounded(functions_of<Scenario>, Scenario::params::thread_count, switches, params);
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
