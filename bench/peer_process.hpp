// Runs a contender in a process of its own and reads the line it prints (see protocol.hpp).
//
//   bench::measurement m = bench::run_peer({.peer = "tbb", .kernel = "fib", .workers = 2, .repeat = 3, .size = 30});
//   if (m.complaint.empty()) use(m.seconds);
//
// A contender that crashes, prints something else or takes too long is a complaint, never an exception.
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
  std::vector<std::string> roots = {};
  std::string expected = {};  // the sequential answer, if already known
};

struct measurement {
  std::string complaint = {};  // empty: it ran, and said what follows
  double units = 1;
  std::vector<double> seconds = {};
  std::string check = {};
  bool verified = false;
  std::int64_t peak_bytes = 0;
  std::int64_t steals = -1;  // -1: this runtime does not tell
  std::int64_t remote_steals = -1;
};

/// The folder `bench` beside this executable, where a build leaves the contenders.
std::filesystem::path peers_folder();
bool peer_exists(const std::string& peer);
measurement run_peer(const job& wanted, int timeout_seconds = 120);

}  // namespace bench
