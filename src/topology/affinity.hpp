// The CPUs on which the operating system lets this process run (taskset, cpusets).
#pragma once

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

}  // namespace skua::detail
