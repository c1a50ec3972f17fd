// `skua calibrate`: measures this machine with microbenchmarks and writes a machine file for simulations.
//
// The microbenchmarks of memory know no workloads:
//   latency   a chain of dependent loads through all lines of an area in random order, on large pages if there are any
//   overlap   loads from random lines whose addresses do not depend on each other
//   streams   one load per line in ascending order, on pages of the default size, as programs have them
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {

struct measured_memory {
  double cycle_ns = 0;                       // of the clock at which the core ran
  std::vector<double> hit_ns;                // by level of cache
  std::uint64_t last_cache_bytes = 0;        // the part of the last level that this process could use
  std::uint64_t last_cache_tried_bytes = 0;  // at most this part was tried
  std::uint64_t area_bytes = 0;              // of memory, for the loads that miss
  double miss_ns = 0;                        // of a load that misses all caches
  double independent_miss_ns = 0;            // per load, of many at the same time
  double line_ns = 0;                        // of a stream from memory
  double line_ns_shuffled = 0;               // the same with pages in random order
  double line_ns_together = 0;               // of one core, while all cores stream
  double overlap = 0;  // of computing and streaming: 0 one after the other, 1 at the same time
};

/// Takes about 10 s: it makes several passes, since other programs may disturb some of them. It takes at most 1 GB and a
/// quarter of the available memory, whatever the machine says about its last cache. Calls `progress` with the share that is
/// done. Binds the calling thread to the first core.
measured_memory measure_memory(const simulator::machine_model& machine,
                               const std::function<void(double)>& progress);

/// Measures the services of the kernel that a scheduler needs, and skua's forks without steals. Takes about 2 s. It measures
/// all costs except step_cycles, which is not a property of a machine. On a machine with one core, the woken thread shares it
/// with the thread that wakes it.
simulator::runtime_costs measure_runtime(const simulator::machine_model& machine, double cycle_ns);

struct calibration {
  measured_memory memory;
  std::vector<double> transfer_ns;  // of a modified line between two cores, cores x cores; empty: one core
  simulator::runtime_costs runtime;
};

/// Throws bad_input for a machine that a machine file cannot describe, since its packages, cores or caches differ.
void check_regular(const simulator::machine_model& host);
/// The text of a machine file: the measured values, and for the others those of hwloc or defaults.
std::string machine_text(const simulator::machine_model& host, const calibration& measured);
/// A sentence that says what of the last cache was not measured; empty if all of it was.
std::string unmeasured_part(const simulator::machine_model& host, const measured_memory& found);

/// `skua calibrate --check`: runs ten workloads on one and two workers, real and simulated with this machine file. Prints the
/// error of each and the median error. Returns the exit code of the tool: 1 where an answer was wrong.
int check_calibration(const std::string& machine_file, bool as_json);

/// The times of work() in nanoseconds, one per round, in ascending order.
template <class Work>
std::vector<double> timed_rounds(std::size_t rounds, Work&& work) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto start = clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::nano>(clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times;
}

template <class Work>
double min_ns(std::size_t rounds, Work&& work) {
  return timed_rounds(rounds, work).front();
}

/// The 5% quantile, for work whose minimum may be too low, for example because another thread has filled a cache.
template <class Work>
double low_ns(std::size_t rounds, Work&& work) {
  return timed_rounds(rounds, work)[rounds / 20];
}

}  // namespace skua::cli
