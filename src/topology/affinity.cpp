#include "topology/affinity.hpp"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "base/made_once.hpp"
#include "base/number_text.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

// CPU numbers may exceed 1023, so this is an array of words instead of cpu_set_t.
using mask = std::vector<unsigned long>;
constexpr std::size_t bits = 8 * sizeof(unsigned long);

void add_cpus_of_thread(pid_t thread, mask& all) {
  mask own(max_cpus / bits);
  if (sched_getaffinity(thread, own.size() * sizeof(own[0]), reinterpret_cast<cpu_set_t*>(own.data())) != 0)
    return;
  for (std::size_t i = 0; i < own.size(); ++i) all[i] |= own[i];
}

struct close_folder {
  void operator()(DIR* folder) const noexcept { closedir(folder); }
};

}  // namespace

std::vector<std::uint32_t> cpus_of_process() {
  mask all(max_cpus / bits);
  add_cpus_of_thread(0, all);
  // No std::filesystem::directory_iterator: that of gcc ends the process when there is no memory.
  if (const std::unique_ptr<DIR, close_folder> tasks(opendir("/proc/self/task")); tasks)
    while (const dirent* const task = readdir(tasks.get()))
      if (const int thread = std::atoi(task->d_name); thread != 0) add_cpus_of_thread(thread, all);
  std::vector<std::uint32_t> cpus;
  for (std::size_t cpu = 0; cpu < max_cpus; ++cpu) {
    if (all[cpu / bits] >> (cpu % bits) & 1) cpus.push_back(static_cast<std::uint32_t>(cpu));
  }
  if (cpus.empty()) {  // the call is refused in some sandboxes
    const long count = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
    for (long cpu = 0; cpu < count; ++cpu) cpus.push_back(static_cast<std::uint32_t>(cpu));
  }
  return cpus;
}

namespace {

using cpu_list = std::vector<std::uint32_t>;

/// The CPUs of the process before an OpenMP runtime bound its first thread, which left `seen`; empty if nothing shows them.
cpu_list cpus_before(const openmp_cpus& openmp, const cpu_list& seen) {
  cpu_list all(static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)))), named = seen;
  std::iota(all.begin(), all.end(), 0u);
  std::ranges::copy_if(openmp.places, std::back_inserter(named),
                       [&](std::uint32_t cpu) { return cpu < all.size(); });
  std::ranges::sort(named);
  named.erase(std::ranges::unique(named).begin(), named.end());
  for (const cpu_list& cpus : {named, all})
    if (cpus.size() == openmp.count) return cpus;
  return {};
}

struct cpus_found {
  cpu_list cpus = cpus_of_process();
  bool openmp_has_bound = false;
  std::string doubt;

  cpus_found() {
    const openmp_cpus openmp = cpus_of_openmp();
    const bool bound = openmp.count > cpus.size();
    const bool unknown = openmp.count == 0 && cpus.size() == 1 && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    if (cpu_list before = bound ? cpus_before(openmp, cpus) : cpu_list(); !before.empty()) {
      cpus = std::move(before);
      openmp_has_bound = true;
    } else if (const std::string binding = bound || unknown ? openmp_binding() : ""; !binding.empty()) {
      doubt = "the process may run on CPU " + base::number_list(cpus) + " only; " + binding +
              ", so an OpenMP runtime " + (bound ? "has" : "may have") +
              " bound it: unset this variable if skua should use more CPUs";
    }
  }
};

// Never destroyed: threads may run during static destruction.
const cpus_found& found_at_start() {
  static constinit base::made_once<const cpus_found> found;
  return found.get();
}

}  // namespace

const std::vector<std::uint32_t>& cpus_at_start() { return found_at_start().cpus; }
bool openmp_has_bound_this_process() { return found_at_start().openmp_has_bound; }
const std::string& doubt_about_cpus() { return found_at_start().doubt; }

}  // namespace skua::detail
