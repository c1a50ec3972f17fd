// What every contender says and understands, so that one driver can run them all:
//
//   peer_tbb fib --workers 2 --repeat 3 --size 32
//   {"kernel":"fib","peer":"tbb","workers":2,"size":32,"units":3524577,"seconds":[0.31,0.30,0.31],
//    "check":"2178309","verified":true,"peak_bytes":5242880,"resident_bytes":5242880,"steals":-1,"remote_steals":-1}
//
// `units` is what a time is divided by (forks, iterations, leaves); steals are -1 where a runtime does not tell.
// `peer_tbb --list` prints its kernels, one a line. Bad input is one line on stderr and exit code 2.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace bench {

struct request {
  std::string kernel;
  int workers = 1;
  int repeat = 1;
  std::int64_t size = 0;                // 0: the kernel's default
  std::vector<std::string> roots = {};  // of word_count
  std::string expected = {};            // of word_count: the sequential answer, if it is already known
};

struct outcome {
  double units = 1;
  std::vector<double> seconds = {};
  std::string check = {};
  bool verified = false;
};

struct steal_counts {
  std::int64_t steals = -1;
  std::int64_t remote = -1;
};

/// Runs `once` `repeat` times; `loops` calls make one sample. `before` is not timed.
template <class Before, class Once>
std::vector<double> measure_warm(const request& asked, int loops, Before before, Once once) {
  std::vector<double> seconds;
  for (int round = 0; round < asked.repeat; ++round) {
    before();
    const std::int64_t start = bench_now_ns();
    for (int i = 0; i < loops; ++i) once();
    const std::int64_t end = bench_now_ns();
    seconds.push_back(static_cast<double>(end - start) * 1e-9 / loops);
  }
  return seconds;
}

/// The same after a first time that does not count.
template <class Before, class Once>
std::vector<double> measure(const request& asked, int loops, Before before, Once once) {
  before();
  for (int i = 0; i < loops; ++i) once();
  return measure_warm(asked, loops, before, once);
}

template <class Once>
std::vector<double> measure(const request& asked, Once once) {
  return measure(asked, 1, [] {}, once);
}

struct kernel {
  std::int64_t size;  // default
  std::function<outcome(const request&)> run;
};

/// The main function of a contender: `make` is called once with the number of workers.
int peer_main(
    int argc, char** argv, const std::string& peer,
    const std::function<std::map<std::string, kernel>(const request&)>& make,
    const std::function<steal_counts()>& steals = [] { return steal_counts{}; });

}  // namespace bench
