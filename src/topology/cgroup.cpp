#include "topology/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace skua::detail {
namespace {

namespace fs = std::filesystem;
constexpr double unlimited = std::numeric_limits<double>::infinity();

// One mounted hierarchy of control groups, whose group `top` is visible at `at`.
struct hierarchy {
  fs::path at;
  std::string top;
  bool v2;
};

// What is limited, by the name of its controller, and how a group's folder states the limit.
struct resource {
  std::string_view controller;
  double (*limit_of_group)(const fs::path& group, bool v2);
};

bool names(std::string_view comma_separated, std::string_view controller) {
  std::istringstream all{std::string(comma_separated)};
  for (std::string name; std::getline(all, name, ',');) {
    if (name == controller) return true;
  }
  return false;
}

// A line of mountinfo: "31 23 0:28 TOP AT OPTIONS [TAGS ...] - TYPE SOURCE SUPER_OPTIONS".
std::optional<hierarchy> hierarchy_of_mount(const std::string& line, std::string_view controller) {
  std::istringstream words(line);
  std::string skip, top, at, type, source, options;
  words >> skip >> skip >> skip >> top >> at;
  while (words >> skip && skip != "-") {
  }
  if (!(words >> type >> source >> options)) return std::nullopt;
  if (type == "cgroup2") return hierarchy{at, top, true};
  if (type == "cgroup" && names(options, controller)) return hierarchy{at, top, false};
  return std::nullopt;
}

double ratio(double quota, double period) { return quota > 0 && period > 0 ? quota / period : unlimited; }

// If the file is missing or contains "max" or -1, `quota` stays 0, which means no limit.
double quota_of_group(const fs::path& group, bool v2) {
  double quota = 0, period = 0;
  if (v2) {
    std::ifstream(group / "cpu.max") >> quota >> period;
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return ratio(quota, period);
}

// The same for a limit of memory.
double memory_of_group(const fs::path& group, bool v2) {
  double bytes = 0;
  std::ifstream(group / (v2 ? "memory.max" : "memory.limit_in_bytes")) >> bytes;
  return bytes > 0 ? bytes : unlimited;
}

constexpr resource cpu_time{"cpu", quota_of_group}, memory_bytes{"memory", memory_of_group};

// The path of `group` below `top`. A container that sees only its own group may still read its path from the root of the host
// ("/docker/abc"), or a path that begins above what it sees ("/../x"). Then the mount itself is the group.
fs::path below(const std::string& group, const std::string& top) {
  const fs::path relative = fs::path(group).lexically_relative(top);
  if (relative.empty() || *relative.begin() == "..") return {};
  return relative == "." ? fs::path() : relative;
}

double limit_of_path(const fs::path& root, const hierarchy& mount, const std::string& group,
                     const resource& of) {
  const fs::path at = root / mount.at.relative_path();
  double min = of.limit_of_group(at, mount.v2);
  fs::path step = at;
  for (const fs::path& name : below(group, mount.top)) {
    step /= name;  // a group that is not visible here has no file and no effect
    min = std::min(min, of.limit_of_group(step, mount.v2));
  }
  return min;
}

double limit_of_process(const fs::path& root, const resource& of) {
  std::vector<hierarchy> mounts;
  std::ifstream mountinfo(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mountinfo, line);) {
    if (auto mount = hierarchy_of_mount(line, of.controller)) mounts.push_back(*mount);
  }
  double min = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "ID:CONTROLLERS:GROUP"; of v2 "0::GROUP"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && !names(controllers, of.controller)) continue;
    for (const hierarchy& mount : mounts) {
      if (mount.v2 == v2) min = std::min(min, limit_of_path(root, mount, line.substr(second + 1), of));
    }
  }
  return min;
}

double limit_or_none(const fs::path& root, const resource& of) noexcept {
  try {
    return limit_of_process(root, of);
  } catch (...) {  // out of memory or an invalid path: a limit is only a hint and must not end the program
    return unlimited;
  }
}

}  // namespace

double cpu_quota(const fs::path& root) noexcept { return limit_or_none(root, cpu_time); }
double memory_limit(const fs::path& root) noexcept { return limit_or_none(root, memory_bytes); }

}  // namespace skua::detail
