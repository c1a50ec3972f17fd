// The limits of CPU time and memory of this process's control groups (containers and services).
#pragma once

#include <filesystem>

namespace skua::detail {

/// The smallest quota of this process's control group and all groups above it, in CPUs (1.5 is one and a half); infinity if
/// there is no limit. Supports cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us), also mounted side by side. Tests pass another
/// root of the file system as `root`. Never throws.
double cpu_quota(const std::filesystem::path& root = "/") noexcept;

/// The same for memory, in bytes (memory.max and memory.limit_in_bytes).
double memory_limit(const std::filesystem::path& root = "/") noexcept;

}  // namespace skua::detail
