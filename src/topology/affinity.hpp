// The CPUs on which the operating system lets this process run (taskset, cpusets).
#pragma once

#include <cstdint>
#include <vector>

namespace skua::detail {

/// The CPUs on which any thread of this process may run now, ascending; never empty.
std::vector<std::uint32_t> cpus_of_process();

/// The same, at the time of the first call. skua binds its workers, and a worker that asks for the machine must not get only
/// the CPUs of a scheduler, so the first result is kept. Any thread may call this.
const std::vector<std::uint32_t>& cpus_at_start();

}  // namespace skua::detail
