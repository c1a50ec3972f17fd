// What `skua topo --measure` found: how long a cache line takes from any core to any other, and on which machine. As a
// file it is text:
//
//   skua distances 1                       the version of this form
//   processor AMD EPYC 9654                as the machine calls it; nothing where it does not
//   core 0 package 0 cpus 0,96             one line a core, with all its CPUs
//   core 1 package 0 cpus 1,97
//   nanoseconds                            one row a core, one column a core, 0 from a core to itself
//   0 61.5
//   61.5 0
//   end                                    so that a file that was cut off is noticed
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
  std::vector<double> nanoseconds;  // cores x cores, the same both ways

  double between(std::size_t a, std::size_t b) const { return nanoseconds[a * cores.size() + b]; }
  void set(std::size_t a, std::size_t b, double value) {
    nanoseconds[a * cores.size() + b] = nanoseconds[b * cores.size() + a] = value;
  }
};

/// The machine as such a file describes it, its matrix all 0.
measured_distances unmeasured(const topology& machine);

std::string file_text(const measured_distances& measured);
/// `name` is said in the sentence of bad_input, which is thrown for whatever file_text() does not write.
measured_distances distances_from_text(std::string_view text, const std::string& name);
measured_distances distances_from_file(const std::string& path);

/// How the measured machine differs from this one; empty where it does not. The same are: the processor, and which of
/// the CPUs that this process may use share a core or a package. CPUs may be fewer here, under taskset for example.
std::string difference(const measured_distances& measured, const topology& machine);

/// The matrix for the cores of core_list(), whose difference must be empty.
std::vector<double> matrix_for(const measured_distances& measured, const topology& machine);

}  // namespace skua::detail
