// The result of `skua topo --measure`: the time of a cache line from each core to each other core, and the machine. The
// file format is text:
//
//   skua distances 1                       the version of the format
//   processor AMD EPYC 9654                the name of the processor, or nothing
//   core 0 package 0 cpus 0,96             one line for each core, with all its CPUs
//   core 1 package 0 cpus 1,97
//   nanoseconds                            one row and one column for each core; 0 from a core to itself
//   0 61.5
//   61.5 0
//   end                                    so that a truncated file is detected
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

/// Describes the machine for such a file, with a matrix of zeros.
measured_distances unmeasured(const topology& machine);

std::string file_text(const measured_distances& measured);
/// Parses the text. Throws bad_input with `name` for a text that file_text() would not write.
measured_distances distances_from_text(std::string_view text, const std::string& name);
measured_distances distances_from_file(const std::string& path);

/// How the measured machine differs from this one; empty if it does not. The processor must be the same. The CPUs that
/// this process may use must share cores and packages in the same way. There may be fewer CPUs here, for example under
/// taskset.
std::string difference(const measured_distances& measured, const topology& machine);

/// The matrix for the cores of core_list(). The difference from the measured machine must be empty.
std::vector<double> matrix_for(const measured_distances& measured, const topology& machine);

}  // namespace skua::detail
