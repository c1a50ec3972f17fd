// Which CPUs the operating system lets this process run on (taskset, cpusets).
#pragma once

#include <cstdint>
#include <vector>

namespace skua::detail {

/// The CPUs that any thread of this process may run on now, ascending; never empty.
std::vector<std::uint32_t> cpus_of_process();

/// The same, as they were at the first call. skua binds its workers, and a machine asked for by one of them
/// must not shrink to the CPUs of a scheduler, so the answer is kept. Any thread may ask.
const std::vector<std::uint32_t>& cpus_at_start();

}  // namespace skua::detail
