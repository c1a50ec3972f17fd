// Runs the scenarios of a model test as they are. Then it runs them again once for each memory order, which it weakens, and
// for each fence, which it leaves out. Each of these mutants must fail, or an excuse must state why it cannot. Planted
// scenarios, which contain a mistake, must fail too.
//
// Each run is random with a fixed seed: Relacy seeds iteration n with n, and the iterations are 1 to `iterations`.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
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
              std::vector<named_scenario> planted = {})
      : subject_(std::move(s)),
        scenarios_(std::move(scenarios)),
        excuses_(std::move(excuses)),
        planted_(std::move(planted)) {}

  /// Returns the exit code of the test. Unchanged scenarios run `iterations` times, and each scenario of a mutant at most
  /// `mutant_iterations` times.
  int run(rl::iteration_t iterations, rl::iteration_t mutant_iterations) {
    std::printf("Random schedules; the seeds are 1 to %llu.\n", static_cast<unsigned long long>(iterations));
    as_shipped(iterations);
    if (failures_ != 0) return finish();
    every_order_reached();
    for (const named_scenario& wrong : planted_) must_fail(wrong, mutant_iterations);
    for (int i = 0; i < sites::count; ++i)
      if (ours(sites::found[i]))
        for (const std::memory_order weaker : weaker_orders(sites::found[i]))
          weaken(i, weaker, mutant_iterations);
    for (std::size_t i = 0; i < excuses_.size(); ++i)
      if (!used_[i]) fail("no such site: " + excuses_[i].function + " " + excuses_[i].operation);
    return finish();
  }

 private:
  void as_shipped(rl::iteration_t iterations) {
    for (const named_scenario& s : scenarios_) {
      rl::test_params params;
      params.iteration_count = iterations;
      const rl::test_result_e result = s.run(params);
      std::printf("%-4s %s: %s\n", result == rl::test_result_success ? "ok" : "FAIL", s.name,
                  rl::test_result_str(result));
      if (result == rl::test_result_success) continue;
      ++failures_;
      std::fflush(stdout);
      rl::test_params failed;  // repeats that iteration, to print what each thread did
      failed.iteration_count = params.stop_iteration;
      failed.initial_state = std::to_string(params.stop_iteration) + " ";
      failed.collect_history = true;
      s.run(failed);
    }
  }

  // Fails if a file has an order that no scenario reaches.
  void every_order_reached() {
    for (const std::string& file : subject_.files) {
      int reached = 0;
      const char* path = nullptr;
      for (int i = 0; i < sites::count; ++i)
        if (name_of(sites::found[i].at.file) == file) {
          ++reached;
          path = sites::found[i].at.file;
        }
      if (!path || !std::ifstream(path)) {
        fail(path ? "cannot read " + std::string(path) : "no scenario reaches " + file);
        continue;
      }
      const int written = orders_written(path);
      std::printf("%-4s %s: %d orders and fences in the source, %d reached\n",
                  written == reached ? "ok" : "FAIL", file.c_str(), written, reached);
      if (written != reached) ++failures_;
    }
  }

  static int orders_written(const char* path) {
    static const std::regex order(
        "memory_order_(acquire|release|acq_rel|seq_cst)|(P::|platform::)(light|heavy)_fence\\(\\)");
    std::ifstream in(path);
    int n = 0;
    for (std::string line; std::getline(in, line);) {
      line = line.substr(0, line.find("//"));
      if (line.find("tell_release(") != std::string::npos)
        continue;  // tell_release() is for ThreadSanitizer and orders nothing
      // The definition of the light fence in host_atomics does not count as a use of it.
      n += static_cast<int>(
          std::distance(std::sregex_iterator(line.begin(), line.end(), order), std::sregex_iterator()));
    }
    return n;
  }

  void must_fail(const named_scenario& wrong, rl::iteration_t max) {
    const std::string found = first_failure({wrong}, max);
    if (found.empty())
      fail(std::string(wrong.name) + ": contains a mistake, yet does not fail");
    else
      std::printf("ok   planted: %s\n", found.c_str());
  }

  void weaken(int i, std::memory_order weaker, rl::iteration_t max) {
    const ordered_site& s = sites::found[i];
    const std::string mutant = s.fence ? "left out" : name_of(s.order) + " -> " + name_of(weaker);
    const std::string label =
        function_of(s) + " " + s.operation + " #" + std::to_string(which(i)) + " " + mutant;
    const excuse* excused = find_excuse(i, mutant);
    sites::weakened = i;
    sites::weaker = weaker;
    const std::string found = first_failure(scenarios_, excused ? max / 10 : max);
    sites::weakened = -1;
    if (excused && found.empty())
      std::printf("--   %s: need not fail. %s\n", label.c_str(), excused->reason);
    else if (excused)
      fail(label + ": is excused, yet fails: " + found);
    else if (found.empty())
      fail(label + " (line " + std::to_string(s.at.line) + "): nothing fails");
    else
      std::printf("ok   %s: %s\n", label.c_str(), found.c_str());
    std::fflush(stdout);
  }

  // Runs a few iterations of all scenarios first, because most mutants fail early in one of them.
  static std::string first_failure(const std::vector<named_scenario>& scenarios, rl::iteration_t max) {
    for (rl::iteration_t n = max / 64 + 1; n < 8 * max; n *= 8)
      for (const named_scenario& s : scenarios) {
        rl::test_params params;
        params.iteration_count = std::min(n, max);
        const rl::test_result_e result = s.run(params);
        if (result != rl::test_result_success)
          return std::string(rl::test_result_str(result)) + " in " + s.name + ", iteration " +
                 std::to_string(params.stop_iteration);
      }
    return {};
  }

  bool ours(const ordered_site& s) const {
    const std::string file = name_of(s.at.file);
    for (const std::string& f : subject_.files)
      if (f == file) return true;
    for (const std::string& f : subject_.functions)
      if (f == file + ":" + function_of(s)) return true;
    return false;
  }

  static bool same_kind(const ordered_site& a, const ordered_site& b) {
    return name_of(a.at.file) == name_of(b.at.file) && function_of(a) == function_of(b) &&
           !std::strcmp(a.operation, b.operation);
  }
  // The number is counted by line, not by the order in which the operations were reached.
  static int which(int i) {
    int n = 1;
    for (int k = 0; k < sites::count; ++k)
      if (same_kind(sites::found[k], sites::found[i]) && sites::found[k].at.line < sites::found[i].at.line)
        ++n;
    return n;
  }
  const excuse* find_excuse(int i, const std::string& mutant) {
    for (std::size_t k = 0; k < excuses_.size(); ++k) {
      const excuse& e = excuses_[k];
      if (e.function != function_of(sites::found[i]) || std::strcmp(e.operation, sites::found[i].operation))
        continue;
      if ((e.which != 0 && e.which != which(i)) || (*e.mutant && mutant != e.mutant)) continue;
      used_[k] = true;
      return &e;
    }
    return nullptr;
  }

  /// Each result is one step weaker, so the two halves of acq_rel are tested separately.
  static std::vector<std::memory_order> weaker_orders(const ordered_site& s) {
    const bool loads = !std::strncmp(s.operation, "load", 4) || std::strstr(s.operation, "failure");
    const bool stores = !std::strcmp(s.operation, "store");
    if (s.fence) return {std::memory_order_relaxed};
    switch (s.order) {
      case std::memory_order_seq_cst:
        return {loads    ? std::memory_order_acquire
                : stores ? std::memory_order_release
                         : std::memory_order_acq_rel};
      case std::memory_order_acq_rel:
        return {std::memory_order_acquire, std::memory_order_release};
      default:
        return {std::memory_order_relaxed};
    }
  }

  /// gcc appends the template arguments to the name, and clang does not.
  static std::string function_of(const ordered_site& s) {
    const std::string_view name = s.at.function;
    return std::string(name.substr(0, name.find('<')));
  }
  static std::string name_of(const char* path) {
    return std::string(path).substr(std::string(path).rfind('/') + 1);
  }
  static std::string name_of(std::memory_order order) {
    switch (order) {
      case std::memory_order_relaxed:
        return "relaxed";
      case std::memory_order_acquire:
        return "acquire";
      case std::memory_order_release:
        return "release";
      case std::memory_order_acq_rel:
        return "acq_rel";
      default:
        return "seq_cst";
    }
  }

  void fail(const std::string& what) {
    ++failures_;
    std::printf("FAIL %s\n", what.c_str());
  }
  int finish() {
    std::printf(failures_ == 0 ? "passed\n" : "%d failures\n", failures_);
    return failures_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  subject subject_;
  std::vector<named_scenario> scenarios_;
  std::vector<excuse> excuses_;
  std::vector<named_scenario> planted_;
  std::vector<bool> used_ = std::vector<bool>(excuses_.size());
  int failures_ = 0;
};

}  // namespace skua::model
