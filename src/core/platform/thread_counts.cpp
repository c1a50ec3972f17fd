// What Linux counts of threads, processes and the whole machine.
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>

#include "core/platform/platform.hpp"
#include "core/platform/scheduler_counts.hpp"

namespace skua::core {

namespace {

// Only the file of one's own thread is worth being kept open.
std::optional<thread_counts> of_this_thread() noexcept {
  const auto counts = scheduler_counts::of_this_thread();
  if (!counts) return std::nullopt;
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return thread_counts{.on_cpu_ns = counts->on_cpu_ns,
                       .waiting_ns = counts->waiting_ns,
                       .preemptions = static_cast<std::uint64_t>(used.ru_nivcsw)};
}

std::uint64_t involuntary_switches(const std::string& folder) {
  std::ifstream status(folder + "/status");
  for (std::string word; status >> word;)
    if (word == "nonvoluntary_ctxt_switches:") {
      std::uint64_t switches = 0;
      status >> switches;
      return switches;
    }
  return 0;
}

}  // namespace

std::optional<thread_counts> host_platform::counts_of_thread(int number) noexcept try {
  if (number == 0) return of_this_thread();
  const std::string folder = "/proc/self/task/" + std::to_string(number);
  std::ifstream schedstat(folder + "/schedstat");
  thread_counts counts;
  if (!(schedstat >> counts.on_cpu_ns >> counts.waiting_ns)) return std::nullopt;
  counts.preemptions = involuntary_switches(folder);
  return counts;
} catch (...) {  // no memory
  return std::nullopt;
}

int host_platform::process_number() noexcept { return getpid(); }

std::int64_t host_platform::process_cpu_ns() noexcept {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

// The first line: user nice system idle iowait irq softirq steal, in ticks of the kernel's clock for users.
std::optional<std::int64_t> host_platform::machine_cpu_ns() noexcept try {
  std::ifstream stat("/proc/stat");
  std::string name;
  std::int64_t ticks[8] = {};
  stat >> name;
  for (std::int64_t& one : ticks) stat >> one;
  const long rate = sysconf(_SC_CLK_TCK);
  if (!stat || name != "cpu" || rate <= 0) return std::nullopt;
  const std::int64_t busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
  return busy * (1'000'000'000 / rate);
} catch (...) {
  return std::nullopt;
}

}  // namespace skua::core
