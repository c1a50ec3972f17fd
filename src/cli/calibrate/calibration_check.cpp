// `skua calibrate --check`.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include <skua/skua.hpp>

#include "base/number_text.hpp"
#include "cli/calibrate/calibrate.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "simulator/machine/machine_model.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {
namespace {

// Stencils, dense and sparse algebra, sorting, a transform, a graph, a search, a stream. Their data are 1 to 24 MB, so that
// hundreds of rounds take a minute. The machine file contains no measurement of them.
const struct {
  const char* name;
  std::map<std::string, std::string, std::less<>> options;
} ten[] = {
    {"heat", {{"n", "1024"}, {"steps", "10"}}},
    {"sor", {{"n", "1024"}, {"iterations", "10"}}},
    {"gauss", {{"n", "512"}}},
    {"mergesort", {{"n", "524288"}}},
    {"matmul", {{"n", "512"}}},
    {"fft", {{"n", "65536"}, {"transforms", "4"}}},
    {"cg", {{"class", "S"}}},
    {"floyd_warshall", {{"n", "256"}}},
    {"queens", {{"mode", "count"}, {"n", "12"}}},
    {"triad", {{"n", "1048576"}, {"sweeps", "10"}}},
};
constexpr std::int64_t worker_counts[] = {1, 2};
constexpr int real_rounds = 25;

/// One workload on this number of workers.
struct run {
  const char* name;
  std::int64_t workers;
  std::unique_ptr<workloads::program> program;
  std::unique_ptr<scheduler> pool;
  double real = 1e300, simulated = 0;  // seconds
  std::string wrong = {};

  double error() const { return simulated / real - 1; }
};

void verify(run& one) {
  const workloads::answer_check check = one.program->verify();
  if (!check.correct && one.wrong.empty()) one.wrong = check.message;
}

void run_for_real(run& one) {
  one.program->prepare();
  const auto start = std::chrono::steady_clock::now();
  one.pool->run([&] { one.program->parallel(); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  one.real = std::min(one.real, took.count());
}

/// Takes the second of two runs, since the caches are warm in the fastest real run as well.
void simulate(run& one, const std::string& machine_file) {
  scheduler pool({.workers = one.workers, .simulate = simulation{.machine = machine_file}});
  double before = 0;
  for (int round = 0; round < 2; ++round) {
    one.program->prepare();
    before = pool.simulated().seconds;
    pool.run([&] { one.program->parallel(); });
  }
  one.simulated = pool.simulated().seconds - before;
}

std::vector<run> all_runs() {
  std::vector<run> all;
  for (const auto& [name, options] : ten)
    for (const std::int64_t workers : worker_counts)
      all.push_back({name, workers,
                     workloads::find(name)->make({.size = workloads::size_class::ci, .options = options}),
                     std::make_unique<scheduler>(scheduler_options{.workers = workers})});
  return all;
}

double median_error(const std::vector<run>& all) {
  std::vector<double> errors;
  for (const run& one : all) errors.push_back(std::abs(one.error()));
  std::ranges::sort(errors);
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

void print_text(const std::vector<run>& all) {
  fmt::print("{:<16} {:>7} {:>12} {:>14} {:>8}\n", "workload", "workers", "real, ms", "simulated, ms",
             "error");
  for (const run& one : all)
    fmt::print("{:<16} {:>7} {:>12.3f} {:>14.3f} {:>+7.1f}%\n", one.name, one.workers, 1e3 * one.real,
               1e3 * one.simulated, 100 * one.error());
  fmt::print("median error {:.1f}%\n", 100 * median_error(all));
}

void print_json(const std::vector<run>& all) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const run& one : all)
    rows.push_back({{"workload", one.name},
                    {"workers", one.workers},
                    {"real_seconds", one.real},
                    {"simulated_seconds", one.simulated},
                    {"error", one.error()}});
  print_json_text({{"version", 1}, {"runs", rows}, {"median_error", median_error(all)}});
}

}  // namespace

int check_calibration(const std::string& machine_file, bool as_json) {
  simulator::find_machine(machine_file);  // refused before anything runs
  std::vector<run> all = all_runs();
  progress_line line;
  std::size_t done = 0;
  const std::size_t total = (real_rounds + std::size_t{1}) * all.size();
  for (int round = 0; round < real_rounds; ++round)
    for (run& one : all) {
      line.show(done++, total,
                fmt::format("real runs, round {} of {}: {}", round + 1, real_rounds, one.name));
      run_for_real(one);
      if (round == 0) verify(one);
    }
  for (run& one : all) {
    line.show(done++, total,
              fmt::format("simulated runs: {}, {}", one.name, base::counted(one.workers, "worker")));
    simulate(one, machine_file);
    verify(one);
  }
  line.clear();
  (as_json ? print_json : print_text)(all);
  for (const run& one : all)
    if (!one.wrong.empty()) fmt::print(stderr, "skua: {}: {}\n", one.name, one.wrong);
  return std::ranges::any_of(all, [](const run& one) { return !one.wrong.empty(); }) ? 1 : 0;
}

}  // namespace skua::cli
