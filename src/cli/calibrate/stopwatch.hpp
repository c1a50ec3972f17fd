// Times of microbenchmarks on a machine with other load: many short rounds. Their minimum or a low quantile counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace skua::cli {

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
