// The command line and the output of every contender, so that one driver can run all of them:
//
//   peer_tbb fib --workers 2 --repeat 3 --size 32
//   {"kernel":"fib","peer":"tbb","workers":2,"size":32,"units":3524577,"seconds":[0.31,0.30,0.31],
//    "check":"2178309","verified":true,"peak_bytes":5242880,"resident_bytes":5242880,"steals":-1,"remote_steals":-1}
//
// `units` is the number by which a time is divided (forks, iterations, leaves). Steals are -1 if the runtime does not
// report them. `peer_tbb --list` prints the kernels, one in each line. Bad input gives one line on stderr and exit code
// 2.
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
  int threads = 1;                      // for the kernels call_*: how many call at once; 0: a task calls
  std::vector<std::string> roots = {};  // for word_count
  std::string expected = {};            // for word_count: the sequential answer, if already known
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

/// The same after a warm-up run that is not counted.
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
