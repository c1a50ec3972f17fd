// The result of `skua topo --measure`: the time of a cache line from each core to each other, and the machine. The file is
// text:
//
//   skua distances 1                       the version of the format
//   processor AMD EPYC 9654                the machine's name for it, or nothing
//   core 0 package 0 cpus 0,96             one line per core, with all its CPUs
//   core 1 package 0 cpus 1,97
//   nanoseconds                            one row and one column per core, 0 on the diagonal
//   0 61.5
//   61.5 0
//   end                                    detects a truncated file
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace skua::detail {

struct measured_core {
  std::uint32_t package;
  std::vector<std::uint32_t> cpus;
};

struct measured_distances {
  std::string processor;
  std::vector<measured_core> cores;
  std::vector<double> nanoseconds;  // cores x cores, symmetric

  double between(std::size_t a, std::size_t b) const { return nanoseconds[a * cores.size() + b]; }
  void set(std::size_t a, std::size_t b, double value) {
    nanoseconds[a * cores.size() + b] = nanoseconds[b * cores.size() + a] = value;
  }
};

/// The description of a machine with a matrix of zeros.
measured_distances unmeasured(const topology& machine);

std::string file_text(const measured_distances& measured);
/// Throws bad_input, with `name` in its message, for everything that file_text() does not write.
measured_distances distances_from_text(std::string_view text, const std::string& name);
measured_distances distances_from_file(const std::string& path);

/// How the measured machine differs from this one, or empty. It compares the processor, and which CPUs share a core or a
/// package, for the CPUs that this process may use. Those may be fewer here, for example under taskset.
std::string difference(const measured_distances& measured, const topology& machine);

/// The matrix for the cores of core_list(). The difference must be empty.
std::vector<double> matrix_for(const measured_distances& measured, const topology& machine);

// Latencies that differ only by noise count as one distance. The rule: in ascending order, a group begins with its minimum and
// contains all latencies that are at most `latency_slack` above it. So no two of a group differ by more than that, which
// chains of small steps would not ensure.

/// The range of one group. Most measurements of one pair were within 14% (docs/distances.md lists the exceptions); the steps
/// from a shared cache to a die to a package are 50% and more.
inline constexpr double latency_slack = 0.15;

struct latency_group {
  double min, max;
  double middle;  // the median of its latencies
  std::size_t count;
};

/// Ascending. O(n log n).
std::vector<latency_group> latency_groups(std::vector<double> latencies);

/// The group of one of those latencies.
const latency_group& group_of(const std::vector<latency_group>& groups, double latency);

/// Sentences that say where measured distances contradict the machine's tree.
/// There are two kinds, with one sentence each: pairs of cores that the tree puts nearer than other pairs, but whose latency
/// is higher than the median of those; and pairs at the same distance in the tree whose latencies differ. Differences of up
/// to `latency_slack` are ignored. `machine` is the measured one, without distances.
std::vector<std::string> disagreements(const topology& machine, const measured_distances& measured);

}  // namespace skua::detail
