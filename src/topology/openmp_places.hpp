// The CPUs of a process whose first thread an OpenMP runtime has bound to one CPU (OMP_PROC_BIND).
//
// libgomp does that when it is loaded, before the program can ask the kernel. The kernel then shows one CPU for the whole
// process, the same as under `taskset`. But libgomp has counted the CPUs before, and its places name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skua::detail {

/// What libgomp knows of the CPUs of this process.
struct openmp_cpus {
  std::size_t count = 0;              // that the process could use when libgomp was loaded
  std::vector<std::uint32_t> places;  // of all its places; may lack some of these, and contain others
};

/// Zeros if the environment does not ask OpenMP to bind threads, or libgomp is not in this process. Calls the dynamic
/// loader.
openmp_cpus cpus_of_openmp();

/// The variable by which the environment asks OpenMP to bind threads, as "OMP_PROC_BIND is 'true'"; empty if none does.
std::string openmp_binding();

}  // namespace skua::detail
