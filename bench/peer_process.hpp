// Runs a contender in its own process and reads the line that it prints (see protocol.hpp).
//
//   bench::measurement m = bench::run_peer({.peer = "tbb", .kernel = "fib", .workers = 2, .repeat = 3, .size = 30});
//   if (m.complaint.empty()) use(m.seconds);
//
// If a contender crashes, prints something else or takes too long, the result has a complaint. There is no exception.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

struct job {
  std::string peer;  // "peer_tbb", "workload_tbb"
  std::string kernel;
  int workers = 1;
  int repeat = 1;
  std::int64_t size = 0;
  int threads = 1;  // for the kernels call_*; 0: a task calls
  std::vector<std::string> roots = {};
  std::string expected = {};  // the sequential answer, if already known
};

struct measurement {
  std::string complaint = {};  // empty: the run succeeded and the values below are valid
  double units = 1;
  std::vector<double> seconds = {};
  std::string check = {};
  bool verified = false;
  std::int64_t peak_bytes = 0;
  std::int64_t steals = -1;  // -1: this runtime does not report steals
  std::int64_t remote_steals = -1;
};

/// The folder `bench` next to this executable, where a build puts the contenders.
std::filesystem::path peers_folder();
bool peer_exists(const std::string& peer);
measurement run_peer(const job& wanted, int timeout_seconds = 120);

}  // namespace bench
