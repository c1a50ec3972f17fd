// How many CPUs the control groups of this process let it use (the CPU quota of containers and services).
#pragma once

#include <filesystem>

namespace skua::detail {

/// The smallest quota of this process's control group and all groups above it, in CPUs (1.5 is one and a half);
/// infinity without a limit. Supports cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us), also when both are mounted. `root`
/// is the root of the file system, so that tests can supply their own. Never throws.
double cpu_quota(const std::filesystem::path& root = "/") noexcept;

}  // namespace skua::detail
