// Which CPUs the operating system lets this process run on (taskset, cpusets).
#pragma once

#include <cstdint>
#include <vector>

namespace skua::detail {

/// The CPUs that any thread of this process may run on now, ascending; never empty.
std::vector<std::uint32_t> cpus_of_process();

/// The same CPUs as of the first call. skua binds its workers, and a topology that a worker requests must not shrink to
/// the CPUs of a scheduler. So the result is stored. Any thread may call it.
const std::vector<std::uint32_t>& cpus_at_start();

}  // namespace skua::detail
