#include "mutants.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

namespace skua::model {
namespace {

int orders_written(const char* path) {
  static const std::regex order(
      "memory_order_(acquire|release|acq_rel|seq_cst)|(P::|platform::)(light|heavy)_fence\\(\\)");
  std::ifstream in(path);
  int n = 0;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find("//"));
    if (line.find("tell_release(") != std::string::npos || line.find("tell_acquire(") != std::string::npos)
      continue;  // they are for ThreadSanitizer and order nothing
    // The definition of the light fence in host_atomics does not count as a use of it.
    n += static_cast<int>(
        std::distance(std::sregex_iterator(line.begin(), line.end(), order), std::sregex_iterator()));
  }
  return n;
}

/// gcc appends the template arguments to the name, and clang does not.
std::string function_of(const ordered_site& s) {
  const std::string_view name = s.at.function;
  return std::string(name.substr(0, name.find('<')));
}
std::string name_of(const char* path) { return std::string(path).substr(std::string(path).rfind('/') + 1); }
std::string name_of(std::memory_order order) {
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

/// Each result is one step weaker, so the two halves of acq_rel are tested separately.
std::vector<std::memory_order> weaker_orders(const ordered_site& s) {
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

bool same_kind(const ordered_site& a, const ordered_site& b) {
  return name_of(a.at.file) == name_of(b.at.file) && function_of(a) == function_of(b) &&
         !std::strcmp(a.operation, b.operation);
}
// The number is counted by line, not by the order in which the operations were reached.
int which(int i) {
  int n = 1;
  for (int k = 0; k < sites::count; ++k)
    if (same_kind(sites::found[k], sites::found[i]) && sites::found[k].at.line < sites::found[i].at.line) ++n;
  return n;
}

// Runs a few iterations of all scenarios first, because most mutants fail early in one of them.
std::string first_failure(const std::vector<named_scenario>& scenarios, rl::iteration_t max) {
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

/// The scenario that runs.
const scenario_functions* running;
void* memory_of_running;

template <int Threads>
struct any_scenario : rl::test_suite<any_scenario<Threads>, Threads> {
  any_scenario() { running->construct(memory_of_running); }
  ~any_scenario() { running->destroy(memory_of_running); }
  void before() { running->before(memory_of_running); }
  void thread(unsigned index) { running->thread(memory_of_running, index); }
  void after() { running->after(memory_of_running); }
  void invariant() { running->invariant(memory_of_running); }
};

template <int Threads, template <rl::thread_id_t> class Scheduler>
rl::test_result_e run_with(const scenario_functions& scenario, rl::test_params& params) {
  running = &scenario;
  const std::unique_ptr<void, decltype(&std::free)> memory(
      std::aligned_alloc(scenario.alignment, scenario.bytes), &std::free);
  memory_of_running = memory.get();
  std::ostringstream discarded;
  params.progress_stream = &discarded;
  if (!params.collect_history) params.output_stream = &discarded;
  return rl::run_test<any_scenario<Threads>, Scheduler<Threads>>(params, discarded, false);
}

}  // namespace

rl::test_result_e run_random(const scenario_functions& scenario, int threads, rl::test_params& params) {
  switch (threads) {
    case 2:
      return run_with<2, rl::random_scheduler>(scenario, params);
    case 3:
      return run_with<3, rl::random_scheduler>(scenario, params);
    default:
      static_assert(max_threads == 4);
      return run_with<4, rl::random_scheduler>(scenario, params);
  }
}

rl::test_result_e run_bounded(const scenario_functions& scenario, int threads, unsigned switches,
                              rl::test_params& params) {
  params.search_type = rl::sched_bound;
  params.context_bound = switches;
  return threads == 2 ? run_with<2, rl::context_bound_scheduler>(scenario, params)
                      : run_with<3, rl::context_bound_scheduler>(scenario, params);
}

int sites::index_of(const ordered_site& s) {
  // A search by content at each call would take a sixth of the time of a test. One call nearly always gives the same pointers.
  static int last[4096];  // for each hash, the site found last, plus one
  int& guess = last[(s.at.line + 67 * static_cast<std::size_t>(*s.operation) +
                     reinterpret_cast<std::uintptr_t>(s.at.file)) %
                    4096];
  if (guess != 0) {
    const ordered_site& f = found[guess - 1];
    if (f.at.line == s.at.line && f.at.file == s.at.file && f.operation == s.operation && f.order == s.order)
      return guess - 1;
  }
  for (int i = 0; i < count; ++i) {
    const ordered_site& f = found[i];
    if (f.at.line == s.at.line && !std::strcmp(f.operation, s.operation) && f.order == s.order &&
        (f.at.file == s.at.file || !std::strcmp(f.at.file, s.at.file))) {
      guess = i + 1;
      return i;
    }
  }
  if (count == max) return -2;
  found[count] = s;
  return count++;
}

mutant_test::mutant_test(subject s, std::vector<named_scenario> scenarios, std::vector<excuse> excuses,
                         std::vector<named_scenario> planted)
    : subject_(std::move(s)),
      scenarios_(std::move(scenarios)),
      excuses_(std::move(excuses)),
      planted_(std::move(planted)),
      used_(excuses_.size()) {}

int mutant_test::run(rl::iteration_t iterations, rl::iteration_t mutant_iterations,
                     rl::iteration_t excused_iterations) {
  if (excused_iterations == 0) excused_iterations = mutant_iterations / 10;
  std::printf("Random schedules; the seeds are 1 to %llu.\n", static_cast<unsigned long long>(iterations));
  as_shipped(iterations);
  if (failures_ != 0) return finish();
  every_order_reached();
  for (const named_scenario& wrong : planted_) must_fail(wrong, mutant_iterations);
  for (int i = 0; i < sites::count; ++i)
    if (ours(sites::found[i]))
      for (const std::memory_order weaker : weaker_orders(sites::found[i]))
        weaken(i, weaker, mutant_iterations, excused_iterations);
  for (std::size_t i = 0; i < excuses_.size(); ++i)
    if (!used_[i]) fail("no such site: " + excuses_[i].function + " " + excuses_[i].operation);
  return finish();
}

void mutant_test::as_shipped(rl::iteration_t iterations) {
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
void mutant_test::every_order_reached() {
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

void mutant_test::must_fail(const named_scenario& wrong, rl::iteration_t max) {
  const std::string found = first_failure({wrong}, max);
  if (found.empty())
    fail(std::string(wrong.name) + ": contains a mistake, yet does not fail");
  else
    std::printf("ok   planted: %s\n", found.c_str());
}

void mutant_test::weaken(int i, std::memory_order weaker, rl::iteration_t max,
                         rl::iteration_t max_if_excused) {
  const ordered_site& s = sites::found[i];
  const std::string mutant = s.fence ? "left out" : name_of(s.order) + " -> " + name_of(weaker);
  const std::string label =
      function_of(s) + " " + s.operation + " #" + std::to_string(which(i)) + " " + mutant;
  const excuse* excused = find_excuse(i, mutant);
  sites::weakened = i;
  sites::weaker = weaker;
  const std::string found = first_failure(scenarios_, excused ? max_if_excused : max);
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

bool mutant_test::ours(const ordered_site& s) const {
  const std::string file = name_of(s.at.file);
  for (const std::string& f : subject_.files)
    if (f == file) return true;
  for (const std::string& f : subject_.functions)
    if (f == file + ":" + function_of(s)) return true;
  return false;
}

const excuse* mutant_test::find_excuse(int i, const std::string& mutant) {
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

void mutant_test::fail(const std::string& what) {
  ++failures_;
  std::printf("FAIL %s\n", what.c_str());
}

int mutant_test::finish() {
  std::printf(failures_ == 0 ? "passed\n" : "%d failures\n", failures_);
  return failures_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace skua::model
