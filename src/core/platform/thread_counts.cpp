// What Linux counts for threads, for this process and for the whole machine.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/resource_limits.hpp"

namespace skua::core {

namespace {

// ---- the calling thread: /proc/thread-self/schedstat

struct times_of_thread {
  std::uint64_t on_cpu_ns = 0, waiting_ns = 0;
};

int open_schedstat() noexcept { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

std::optional<times_of_thread> read_times(int file) noexcept {
  char text[128];
  const ssize_t got = file < 0 ? -1 : pread(file, text, sizeof text, 0);
  if (got <= 0) return std::nullopt;
  const char* const end = text + got;
  times_of_thread times;
  const auto [after, wrong] = std::from_chars(text, end, times.on_cpu_ns);
  if (wrong != std::errc() || after == end) return std::nullopt;
  if (std::from_chars(after + 1, end, times.waiting_ns).ec != std::errc()) return std::nullopt;
  return times;
}

// Destructors of static objects may call this after the thread's own objects are destroyed.
constinit thread_local bool schedstat_ended = false;
constinit thread_local int kept_file = -1;

/// The file of the calling thread stays open until the thread ends, since opening takes ten times as long as reading.
class kept_schedstat {
 public:
  kept_schedstat() noexcept = default;
  ~kept_schedstat() {
    schedstat_ended = true;
    close();
  }
  kept_schedstat(const kept_schedstat&) = delete;
  kept_schedstat& operator=(const kept_schedstat&) = delete;

  void open() noexcept {
    if (!kept_files::may_keep(1)) return;
    kept_file = open_schedstat();
    if (kept_file < 0) kept_files::closed(1);
  }
  void close() noexcept {
    if (kept_file < 0) return;
    ::close(std::exchange(kept_file, -1));
    kept_files::closed(1);
  }
};

kept_schedstat& schedstat_of_this_thread() noexcept {
  static thread_local kept_schedstat own;
  return own;
}

// The child inherits the file of its parent's thread.
void close_schedstat_in_child() noexcept {
  if (kept_file >= 0) schedstat_of_this_thread().close();
}
const in_child schedstat_in_child(close_schedstat_in_child);

void keep_file() noexcept {
  if (!schedstat_ended) schedstat_of_this_thread().open();
}

// Nothing without /proc, and where the kernel does not count. Not inlined, as thread_number().
[[gnu::noinline]] std::optional<times_of_thread> read_times_of_this_thread() noexcept {
  if (kept_file < 0) keep_file();
  if (kept_file >= 0) return read_times(kept_file);
  const int file = open_schedstat();
  const auto times = read_times(file);
  if (file >= 0) close(file);
  return times;
}

// The file shows the time of a running thread as it was at the last tick of the kernel, up to 10 ms ago.
std::uint64_t cpu_ns_of_this_thread(std::uint64_t in_file) noexcept {
  timespec used{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return in_file;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

std::optional<thread_counts> counts_of_this_thread() noexcept {
  const auto times = read_times_of_this_thread();
  if (!times) return std::nullopt;
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return thread_counts{.on_cpu_ns = cpu_ns_of_this_thread(times->on_cpu_ns),
                       .waiting_ns = times->waiting_ns,
                       .preemptions = static_cast<std::uint64_t>(used.ru_nivcsw),
                       .sleeps = static_cast<std::uint64_t>(used.ru_nvcsw)};
}

// ---- other threads of this process

void add_switches(const std::string& folder, thread_counts& to) {
  std::ifstream status(folder + "/status");
  for (std::string word; status >> word;)
    if (word == "voluntary_ctxt_switches:")
      status >> to.sleeps;
    else if (word == "nonvoluntary_ctxt_switches:")
      status >> to.preemptions;
}

}  // namespace

std::int64_t host_platform::kept_waiting_ns() noexcept {
  const auto times = read_times_of_this_thread();
  return times ? static_cast<std::int64_t>(times->waiting_ns) : -1;
}

// Only the calling thread keeps its file open.
std::optional<thread_counts> host_platform::counts_of_thread(int number) noexcept try {
  if (number == 0) return counts_of_this_thread();
  const std::string folder = "/proc/self/task/" + std::to_string(number);
  std::ifstream schedstat(folder + "/schedstat");
  thread_counts counts;
  if (!(schedstat >> counts.on_cpu_ns >> counts.waiting_ns)) return std::nullopt;
  add_switches(folder, counts);
  return counts;
} catch (...) {  // no memory
  return std::nullopt;
}

// The line is "NUMBER (NAME) STATE ...", and a name may have parentheses.
bool host_platform::is_ready(int thread) noexcept try {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_ends = line.rfind(") ");
  return name_ends != std::string::npos && line.compare(name_ends + 2, 1, "R") == 0;
} catch (...) {  // no memory
  return false;
}

// ---- the process and the machine

int host_platform::process_number() noexcept { return getpid(); }

std::int64_t host_platform::process_cpu_ns() noexcept {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

// The first line is: user nice system idle iowait irq softirq steal, in ticks of sysconf(_SC_CLK_TCK) a second.
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
