#include "topology/affinity.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <filesystem>

#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

// CPU numbers may be far above 1023, so this uses an array of words instead of cpu_set_t.
using mask = std::vector<unsigned long>;
constexpr std::size_t bits = 8 * sizeof(unsigned long);

void add_cpus_of_thread(pid_t thread, mask& all) {
  mask own(max_cpus / bits);
  if (sched_getaffinity(thread, own.size() * sizeof(own[0]), reinterpret_cast<cpu_set_t*>(own.data())) != 0)
    return;
  for (std::size_t i = 0; i < own.size(); ++i) all[i] |= own[i];
}

}  // namespace

std::vector<std::uint32_t> cpus_of_process() {
  mask all(max_cpus / bits);
  add_cpus_of_thread(0, all);
  std::error_code gone;
  for (std::filesystem::directory_iterator task("/proc/self/task", gone), end; !gone && task != end;
       task.increment(gone)) {
    add_cpus_of_thread(std::atoi(task->path().filename().c_str()), all);
  }
  std::vector<std::uint32_t> cpus;
  for (std::size_t cpu = 0; cpu < max_cpus; ++cpu) {
    if (all[cpu / bits] >> (cpu % bits) & 1) cpus.push_back(static_cast<std::uint32_t>(cpu));
  }
  if (cpus.empty()) {  // some sandboxes refuse the call
    const long count = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
    for (long cpu = 0; cpu < count; ++cpu) cpus.push_back(static_cast<std::uint32_t>(cpu));
  }
  return cpus;
}

const std::vector<std::uint32_t>& cpus_at_start() {
  static const std::vector<std::uint32_t> cpus = cpus_of_process();
  return cpus;
}

}  // namespace skua::detail
