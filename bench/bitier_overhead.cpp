// The overhead of bitier for programs that it cannot help, compared with random: the CPU-bound programs of the paper
// (its Figure 9) and FFT, at med size on two workers, in one domain and in two. The programs have no region, as in the
// paper; the cost of a region for FFT is shown too. Runs alternate. Prints the median of the ratios with their minimum
// and maximum.
//
//   build/release/bench/bitier_overhead [ROUNDS [PROGRAM]]     (default: 5, all) 20 s a round
#include <skua/skua.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "median.hpp"
#include "workloads/common/workload.hpp"

namespace {

struct measured {
  const char* workload;
  const char* option;
  const char* value;
  double limit;  // maximum ratio to random's time; 0: no limit
};
constexpr measured programs[] = {{"queens", "mode", "count", 1.02},
                                 {"ck", "", "", 1.02},
                                 {"cholesky", "", "", 1.02},
                                 {"fft", "region", "none", 1.05},
                                 {"fft", "region", "shaped", 0}};
constexpr const char* machines[] = {"package:1 core:2 pu:1", "package:2 core:1 pu:1"};

double seconds(skua::scheduler& pool, workloads::program& program) {
  program.prepare();
  const auto start = std::chrono::steady_clock::now();
  pool.run([&] { program.parallel(); });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string comparison(double ratio, double limit) {
  if (limit == 0) return "";
  char text[40];
  std::snprintf(text, sizeof text, ", at most %.2f: %s", limit, ratio <= limit ? "met" : "missed");
  return text;
}

/// Returns whether the limit, if any, is met.
bool compare(const measured& what, const char* machine, int rounds) {
  const auto pool = [&](const char* policy) {
    return std::make_unique<skua::scheduler>(skua::scheduler_options{
        .workers = 2, .policy = policy, .topology = skua::topology::synthetic(machine)});
  };
  const auto random = pool("random"), bitier = pool("bitier");
  workloads::parameters asked{.size = workloads::size_class::med};
  if (*what.option) asked.options[what.option] = what.value;
  const auto program = workloads::find(what.workload)->make(asked);
  seconds(*random, *program);
  std::vector<double> ratios, times;
  for (int round = 0; round < rounds; ++round) {
    // Each policy runs first in every second round.
    const double first = seconds(round % 2 ? *bitier : *random, *program);
    const double second = seconds(round % 2 ? *random : *bitier, *program);
    times.push_back(round % 2 ? second : first);
    ratios.push_back(round % 2 ? first / second : second / first);
  }
  const double ratio = bench::median(ratios);
  std::printf("%-9s %-12s %-24s random %7.3f s, bitier %.3f of it (%.3f to %.3f)%s\n", what.workload,
              what.value, machine, bench::median(times), ratio, *std::ranges::min_element(ratios),
              *std::ranges::max_element(ratios), comparison(ratio, what.limit).c_str());
  std::fflush(stdout);
  return what.limit == 0 || ratio <= what.limit;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const std::string only = argc > 2 ? argv[2] : "";
  int missed = 0;
  for (const char* machine : machines)
    for (const measured& what : programs)
      if (only.empty() || only == what.workload) missed += !compare(what, machine, rounds);
  return missed != 0;
}
