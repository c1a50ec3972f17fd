// The tables of `skua bench`: contests, which are measured, and targets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace skua::cli {

/// One kernel, measured with every contender.
struct contest {
  std::string name;  // in --kernels
  std::string title;
  std::string unit;  // "ns/fork": seconds times `scale`
  double scale;
  bool per_unit;            // divided by the kernel's units (forks, leaves), so that sizes may differ
  std::int64_t size;        // of a full run
  std::int64_t quick_size;  // with --quick
  std::int64_t slow_size;   // for contenders whose forks cost 100 ns; times are compared per unit
  int repeat;               // in each round and process
  bool one_worker = true;   // also measured on one worker
  bool variants = false;    // also with skua compiled by clang and with -march=native
  bool serial_too = false;  // the serial program is measured in any case
  std::string kernel = {};  // of the contender, where it is not the name
  int threads = 1;          // that call at once; 0: a task of skua calls
  bool only_skua = false;   // on one worker
};
/// The unit of the simulator's contests.
inline constexpr const char* events_unit = "ns/event";

/// The size that this contender runs.
std::int64_t size_for(const contest& what, const std::string& peer, bool quick);

/// Samples of one contender, in the unit of the contest.
struct samples {
  std::vector<double> values;
  std::int64_t peak_bytes = 0;
  double median() const;
  double min() const;
  double max() const;
};

/// All measurements: (contest, contender, workers) -> samples.
using results = std::map<std::tuple<std::string, std::string, int>, samples>;
const samples* find(const results& all, const std::string& contest, const std::string& peer, int workers);
/// The fastest contender except skua and serial; null where none ran.
const samples* best_peer(const results& all, const std::string& contest, int workers,
                         std::string* name = nullptr);

/// One goal of the project.
struct target {
  std::string what;  // "fib, one worker: of rayon's time"
  bool at_most;      // else at least
  double limit;
  std::function<std::optional<double>(const results&)> measured;  // empty where a contender did not run
};

/// Contests of one kind and their contenders.
struct league {
  std::string program;  // the prefix of the contenders' executables: "peer_" or "workload_"
  std::vector<contest> contests;
  std::vector<std::string> peers;     // serial first, skua last
  std::vector<std::string> variants;  // skua, compiled differently
  std::vector<target> targets;
};
const league& kernels();
/// Whole programs of the papers, at size 0, 1 or 2: ci, med or paper.
const league& whole_programs();

/// "target at most 0.25, measured 0.21, met", "..., missed by 8%" or "..., not measured".
std::string judge(const target& goal, const results& all);
bool met(const target& goal, double measured);

}  // namespace skua::cli
