// Times of microbenchmarks on a machine that others use, too: many short rounds, of which the least or a low one counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace skua::cli {

/// Nanoseconds that work() takes, of so many rounds, in ascending order.
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

/// What a twentieth of the rounds do not exceed: where the least ones may be too lucky, as those that find what others left
/// in a cache.
template <class Work>
double low_ns(std::size_t rounds, Work&& work) {
  return timed_rounds(rounds, work)[rounds / 20];
}

}  // namespace skua::cli
