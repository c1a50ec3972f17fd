// What `skua bench` measures and what it should find: contests and targets, as tables.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace skua::cli {

/// One kernel, measured for every peer.
struct contest {
  std::string name;  // what --kernels takes; also the contender's kernel
  std::string title;
  std::string unit;  // "ns/fork": seconds times `scale`,
  double scale;
  bool per_unit;            // divided by the kernel's units (forks, leaves), so that sizes may differ
  std::int64_t size;        // of a full run
  std::int64_t quick_size;  // with --quick
  std::int64_t slow_size;   // for peers whose forks cost a hundred nanoseconds; times are compared per unit
  int repeat;               // in each round and process
  bool one_worker = true;   // measured at one worker too
  bool variants = false;    // with skua by clang and by -march=native beside
  bool serial_too = false;  // the serial program in any case
};

/// Which of a contest's sizes a run takes.
std::int64_t size_for(const contest& what, const std::string& peer, bool quick);

/// Samples of one peer at a contest, already in the contest's unit.
struct samples {
  std::vector<double> values;
  std::int64_t peak_bytes = 0;
  double median() const;
  double min() const;
  double max() const;
};

/// Everything measured: (contest, peer, workers) -> samples.
using results = std::map<std::tuple<std::string, std::string, int>, samples>;
const samples* find(const results& all, const std::string& contest, const std::string& peer, int workers);
/// The fastest peer that is neither skua nor serial; null where none ran.
const samples* best_peer(const results& all, const std::string& contest, int workers,
                         std::string* name = nullptr);

/// One number of the project's goals.
struct target {
  std::string what;  // "fib, one worker: of rayon's time"
  bool at_most;      // else at least
  double limit;
  std::function<std::optional<double>(const results&)> measured;  // empty where something did not run
};

/// Who is compared at what: contests of one kind, and those that take part in them.
struct league {
  std::string
      program;  // the contenders' executables are called so, "peer_" and "workload_", before their names
  std::vector<contest> contests;
  std::vector<std::string> peers;     // those compared with skua, serial first
  std::vector<std::string> variants;  // skua, otherwise compiled
  std::vector<target> targets;
};
const league& kernels();
/// The papers' programs, whole, at size 0, 1 or 2: ci, med or paper.
const league& whole_programs();

/// "target 0.25 at most, measured 0.21, met", "... missed by 8%" or "... not measured".
std::string judge(const target& goal, const results& all);
bool met(const target& goal, double measured);

}  // namespace skua::cli
