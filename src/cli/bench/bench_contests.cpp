#include "cli/bench/bench_contests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "bench/median.hpp"
#include "bench/peer_process.hpp"

namespace skua::cli {
namespace {

using measured_value = std::function<std::optional<double>(const results&)>;

/// The time of one contender divided by that of another one. "best" is the fastest contender except skua and serial.
measured_value ratio(std::string contest, std::string peer, int workers, std::string other_contest,
                     std::string other, int other_workers) {
  return [=](const results& all) -> std::optional<double> {
    const samples* mine = find(all, contest, peer, workers);
    const samples* theirs = other == "best" ? best_peer(all, other_contest, other_workers)
                                            : find(all, other_contest, other, other_workers);
    if (!mine || !theirs) return std::nullopt;
    return mine->median() / theirs->median();
  };
}

measured_value against(std::string contest, std::string peer, std::string other, int workers) {
  return ratio(contest, peer, workers, contest, other, workers);
}

measured_value speedup(std::string contest) { return ratio(contest, "skua", 1, contest, "skua", 2); }

measured_value value(std::string contest, int workers) {
  return [=](const results& all) -> std::optional<double> {
    const samples* mine = find(all, contest, "skua", workers);
    return mine ? std::optional(mine->median()) : std::nullopt;
  };
}

measured_value megabytes(std::string contest, int workers) {
  return [=](const results& all) -> std::optional<double> {
    const samples* mine = find(all, contest, "skua", workers);
    return mine ? std::optional(static_cast<double>(mine->peak_bytes) * 1e-6) : std::nullopt;
  };
}

struct call {
  const char *name, *kernel, *title;
  bool each;  // time divided by tasks
  std::int64_t size, quick_size;
};
constexpr call calls[] = {
    {"call_join", "call_join", "a join of two empty functions", false, 2, 2},
    {"call_group", "call_group", "a group of 1000 empty tasks", true, 1000, 1000},
    {"call_group_million", "call_group", "groups of 10^6 empty tasks in all", true, 1'000'000, 100'000},
    {"call_groups", "call_groups", "a group of 32 tasks, each with a group of 32 empty tasks", true, 32, 32},
    {"call_loop_2", "call_loop", "a loop over 2 tiny iterations", false, 2, 2},
    {"call_loop", "call_loop", "a loop over 100 tiny iterations", false, 100, 100},
    {"call_loop_10000", "call_loop", "a loop over 10000 tiny iterations", false, 10'000, 10'000},
    {"call_reduce", "call_reduce", "a reduction of 100 numbers", false, 100, 100},
    {"call_work", "call_work", "a loop over 1000 iterations of a microsecond", false, 1000, 1000}};
constexpr int calling_threads[] = {1, 2, 8};
constexpr int in_task = 0;  // in place of a number of threads: a task calls

std::string name_of(const call& what, int threads) {
  if (threads == in_task) return fmt::format("{}_in_task", what.name);
  return threads == 1 ? what.name : fmt::format("{}_from_{}", what.name, threads);
}
std::string callers(int threads) {
  if (threads == in_task) return "in a task";
  return threads == 1 ? "from main" : fmt::format("from {} threads at once", threads);
}

// A million tasks of each of eight threads would need a gigabyte.
std::int64_t size_for_each(std::int64_t size, int threads) {
  return size >= 100'000 ? size / std::max(1, threads) : size;
}

contest contest_of(const call& c, int threads) {
  return {.name = name_of(c, threads),
          .title = fmt::format("{} {}", c.title, callers(threads)),
          .unit = c.each ? "ns/task" : "ns",
          .scale = 1e9,
          .per_unit = c.each,
          .size = size_for_each(c.size, threads),
          .quick_size = size_for_each(c.quick_size, threads),
          .slow_size = size_for_each(c.size, threads),
          .repeat = 3,
          .kernel = c.kernel,
          .threads = threads};
}

void add_calls(std::vector<contest>& all) {
  for (const call& c : calls) {
    for (const int threads : calling_threads) all.push_back(contest_of(c, threads));
    all.push_back(contest_of(c, in_task));
  }
}

void add_simulator(std::vector<contest>& all) {
  for (const std::int64_t workers : {16, 64, 192})
    all.push_back({.name = fmt::format("simulator_{}", workers),
                   .title = "loops on simulated workers",
                   .unit = events_unit,
                   .scale = 1e9,
                   .per_unit = true,
                   .size = workers,
                   .quick_size = workers,
                   .slow_size = workers,
                   .repeat = 3,
                   .kernel = "simulated_loops",
                   .only_skua = true});
}

std::vector<contest> kernel_contests() {
  constexpr std::int64_t million = 1'000'000, tenth = 100'000, keys = 1 << 24;
  constexpr bool each = true, whole = false;  // time divided by forks, or as it is
  // name, title, unit, scale, per unit, size, quick size, slow size, repeat, at one worker too, variants
  std::vector<contest> all = {
      {"fib", "fib, every call a fork", "ns/fork", 1e9, each, 36, 32, 29, 3, true, true},
      {"fib_worker", "fib, the task context passed along", "ns/fork", 1e9, each, 36, 32, 29, 3, true, true},
      {"fib_memory", "fib, for its memory", "ns/fork", 1e9, each, 40, 36, 29, 1, false},
      {"skynet_loop", "skynet, a loop at each node", "ns/leaf", 1e9, each, 10 * million, million, million, 3,
       true, true},
      {"skynet_tasks", "skynet, a task group at each node", "ns/leaf", 1e9, each, 10 * million, million,
       million, 3, true, true},
      {"tree_sum", "sum of a binary tree of 2^size nodes", "ns/node", 1e9, each, 24, 22, 20, 3, true, true},
      {"queens", "queens, every placement a fork", "ms", 1e3, whole, 13, 11, 13, 2},
      {"two_tasks", "a tiny fork, then two tasks of 100 ms", "ms", 1e3, whole, tenth, tenth, tenth, 3, false},
      {"two_iterations", "a loop over two iterations of 100 ms", "ms", 1e3, whole, tenth, tenth, tenth, 3,
       false},
      {"many_tasks", "64 tasks of 10 ms in a group", "ms", 1e3, whole, 10'000, 10'000, 10'000, 2, false},
      {"many_iterations", "a loop over 64 iterations of 10 ms", "ms", 1e3, whole, 10'000, 10'000, 10'000, 2,
       false},
      {"triad", "a[i] = b[i] * 2 + 1 over ints", "us", 1e6, whole, million, million, million, 5},
      {"rendezvous", "an empty loop on two workers at once", "ns", 1e9, whole, 20'000, 20'000, 20'000, 5,
       false},
      {"heat", "heat, size x size", "ms", 1e3, whole, 2048, 1024, 2048, 2},
      {"mergesort", "mergesort", "ms", 1e3, whole, keys, keys / 4, keys, 1},
      {"matmul", "matrix multiply", "ms", 1e3, whole, 2048, 1024, 2048, 2}};
  add_calls(all);
  add_simulator(all);
  return all;
}

std::vector<target> kernel_targets() {
  constexpr bool at_most = true, at_least = false;
  std::vector<target> all = {
      {"fib, one worker: time / rayon's", at_most, 0.25, against("fib", "skua", "rayon", 1)},
      {"fib, one worker: time / oneTBB's", at_most, 0.04, against("fib", "skua", "tbb", 1)},
      {"fib, context passed: time / rayon's", at_most, 0.20,
       ratio("fib_worker", "skua", 1, "fib", "rayon", 1)},
      {"fib by clang: time / rayon's", at_most, 0.33, against("fib", "skua_clang", "rayon", 1)},
      {"fib by clang, context passed: time / rayon's", at_most, 0.28,
       ratio("fib_worker", "skua_clang", 1, "fib", "rayon", 1)},
      {"fib, two workers: speedup over one", at_least, 1.95, speedup("fib")},
      {"fib(40), two workers: megabytes", at_most, 8, megabytes("fib_memory", 2)},
      {"skynet by loops, one worker: time / serial", at_most, 1.8,
       against("skynet_loop", "skua", "serial", 1)},
      {"skynet by loops, two workers: time / serial", at_most, 1.0,
       ratio("skynet_loop", "skua", 2, "skynet_loop", "serial", 1)},
      {"skynet by tasks, one worker: time / serial", at_most, 3,
       against("skynet_tasks", "skua", "serial", 1)},
      {"tree sum, one worker: time / serial", at_most, 1.8, against("tree_sum", "skua", "serial", 1)},
      {"tree sum, two workers: speedup over one", at_least, 1.9, speedup("tree_sum")},
      {"two tasks of 100 ms on two workers: ms", at_most, 101, value("two_tasks", 2)},
      {"two iterations of 100 ms on two workers: ms", at_most, 101, value("two_iterations", 2)},
      {"64 tasks of 10 ms on two workers: ms", at_most, 326.4, value("many_tasks", 2)},
      {"64 iterations of 10 ms on two workers: ms", at_most, 326.4, value("many_iterations", 2)},
      {"loop over ints, one worker: time / serial", at_most, 1.03, against("triad", "skua", "serial", 1)},
      {"loop over ints, two workers: time / best peer's", at_most, 1.0, against("triad", "skua", "best", 2)},
      {"empty loop on two workers: ns", at_most, 1000, value("rendezvous", 2)},
      {"queens, one worker: time / serial", at_most, 1.04, against("queens", "skua", "serial", 1)},
      {"queens, two workers: speedup over one", at_least, 1.95, speedup("queens")},
      {"matrix multiply, two workers: time / best peer's", at_most, 1.0,
       against("matmul", "skua", "best", 2)},
      {"heat, two workers: time / best peer's", at_most, 1.0, against("heat", "skua", "best", 2)},
      {"mergesort, two workers: time / best peer's", at_most, 1.0, against("mergesort", "skua", "best", 2)}};
  for (const call& c : calls)
    for (const int threads : calling_threads) {
      const std::string name = name_of(c, threads);
      all.push_back(
          {name + ", one worker: time / best peer's", at_most, 1.0, against(name, "skua", "best", 1)});
      all.push_back(
          {name + ", two workers: time / best peer's", at_most, 1.0, against(name, "skua", "best", 2)});
    }
  for (const call& c : calls) {
    const std::string name = c.name, inside = name_of(c, in_task);
    all.push_back(
        {name + ", one worker: time / in a task", at_most, 1.2, ratio(name, "skua", 1, inside, "skua", 1)});
    all.push_back(
        {name + ", two workers: time / in a task", at_most, 1.2, ratio(name, "skua", 2, inside, "skua", 2)});
  }
  all.push_back({"call_work_from_8, two workers: time / oneTBB's", at_most, 1.1,
                 against("call_work_from_8", "skua", "tbb", 2)});
  return all;
}

struct compared_program {
  const char* name;
  bool compute_bound;  // two workers should then be twice as fast as the serial program
};
constexpr compared_program compared[] = {
    {"queens", true},       {"heat", false},           {"mergesort", false}, {"matmul", true},
    {"sor", false},         {"gauss", false},          {"cg", false},        {"ep", true},
    {"blackscholes", true}, {"streamcluster", false},  {"swaptions", true},  {"quicksort", false},
    {"strassen", true},     {"floyd_warshall", false}, {"wordcount", false}, {"fluidanimate", true}};

std::vector<contest> program_contests() {
  std::vector<contest> all;
  for (const compared_program& p : compared)
    all.push_back({p.name, "the workload", "s", 1, false, 1, 0, 1, 1, false, false, true});
  return all;
}

std::vector<target> program_targets() {
  std::vector<target> all;
  for (const compared_program& p : compared) {
    const std::string name = p.name;
    all.push_back({name + ", two workers: time / best peer's", true, 1.03, against(name, "skua", "best", 2)});
    if (p.compute_bound)
      all.push_back({name + ", two workers: speedup over serial", false, 1.9,
                     ratio(name, "serial", 1, name, "skua", 2)});
  }
  return all;
}

}  // namespace

std::int64_t size_for(const contest& what, const std::string& peer, bool quick) {
  const std::int64_t size = quick ? what.quick_size : what.size;
  const bool slow = peer == "openmp" || peer == "libomp" || peer == "tbb";
  return slow ? std::min(size, what.slow_size) : size;
}

double samples::median() const { return bench::median(values); }
double samples::min() const { return *std::ranges::min_element(values); }
double samples::max() const { return *std::ranges::max_element(values); }

const samples* find(const results& all, const std::string& contest, const std::string& peer, int workers) {
  const auto found = all.find({contest, peer, workers});
  return found == all.end() ? nullptr : &found->second;
}

const samples* best_peer(const results& all, const std::string& contest, int workers, std::string* name) {
  const samples* best = nullptr;
  for (const auto& [key, here] : all) {
    const auto& [of, peer, on] = key;
    if (of != contest || on != workers || peer == "serial" || peer.starts_with("skua")) continue;
    if (best && best->median() <= here.median()) continue;
    best = &here;
    if (name) *name = peer;
  }
  return best;
}

bool met(const target& goal, double measured) {
  return goal.at_most ? measured <= goal.limit : measured >= goal.limit;
}

std::string judge(const target& goal, const results& all) {
  const std::optional<double> measured = goal.measured(all);
  const std::string wanted =
      fmt::format("target {} {:.4g}", goal.at_most ? "at most" : "at least", goal.limit);
  if (!measured) return wanted + ", not measured";
  const std::string so_far = fmt::format("{}, measured {:.4g}, ", wanted, *measured);
  if (met(goal, *measured)) return so_far + "met";
  return so_far + fmt::format("missed by {:.1f}%", 100 * std::abs(*measured / goal.limit - 1));
}

const league& kernels() {
  static const league all{"peer_",
                          kernel_contests(),
                          {"serial", "openmp", "libomp", "tbb", "rayon", "skua"},
                          {"skua_clang", "skua_native"},
                          kernel_targets()};
  return all;
}

const league& whole_programs() {
  static const league all{"workload_",
                          program_contests(),
                          {"serial", "openmp", "openmp_dynamic", "tbb", "skua"},
                          {},
                          program_targets()};
  return all;
}

}  // namespace skua::cli
