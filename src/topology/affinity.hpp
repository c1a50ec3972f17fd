// The CPUs on which the operating system lets this process run (taskset, cpusets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skua::detail {

/// The CPUs on which any thread of this process may run now, ascending; never empty.
std::vector<std::uint32_t> cpus_of_process();

/// The same, at the time of the first call, and with those that an OpenMP runtime has hidden before. skua binds its
/// workers, and a worker that asks for the machine must not get only the CPUs of a scheduler, so the first result is kept.
/// Any thread may call this.
const std::vector<std::uint32_t>& cpus_at_start();

/// Whether an OpenMP runtime had bound the process to fewer CPUs than it has, so that cpus_at_start() are more.
bool openmp_has_bound_this_process();

/// One sentence if an OpenMP runtime may have bound the process to one CPU, and nothing shows what it has; else empty.
const std::string& doubt_about_cpus();

// openmp_places.cpp: the CPUs of a process whose first thread an OpenMP runtime has bound to one CPU (OMP_PROC_BIND). libgomp does
// that when it is loaded, before the program can ask the kernel. The kernel then shows one CPU for the whole process, the
// same as under `taskset`. But libgomp has counted the CPUs before, and its places name them.

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
