// How many CPUs the control groups of this process let it use (the CPU quota of containers and services).
#pragma once

#include <filesystem>

namespace skua::detail {

/// The smallest quota of this process's control group and all groups above it, in CPUs (1.5 is one and a
/// half); infinity where nothing limits it. Knows cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us), mounted
/// side by side too. `root` is where the file system begins, so that tests can bring their own. Never
/// throws.
double cpu_quota(const std::filesystem::path& root = "/") noexcept;

}  // namespace skua::detail
