#include "core/platform/hardware_counters.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "base/made_once.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/resource_limits.hpp"

namespace skua::core {

namespace {

using observe::hardware_reading;
using observe::max_hardware_events;

constexpr std::uint64_t read_misses_of(std::uint64_t cache) {
  return cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
}

// Reports know the third and the fourth by these names.
constexpr hardware_event event_choices[max_hardware_events] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"last-level misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"remote node accesses", PERF_TYPE_HW_CACHE, read_misses_of(PERF_COUNT_HW_CACHE_NODE)},
};
constexpr hardware_event page_faults = {"page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};

perf_event_attr attributes_of(const hardware_event& event) {
  perf_event_attr a{};
  a.size = sizeof a;
  a.type = event.type;
  a.config = event.config;
  a.exclude_kernel = 1;  // what users may count without root
  a.exclude_hv = 1;
  a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return a;
}

std::size_t counter_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

const perf_event_mmap_page* page_of(int file) {
  void* const at = mmap(nullptr, counter_page_bytes(), PROT_READ, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(at);
}

void unmap(const perf_event_mmap_page* page) {
  munmap(const_cast<perf_event_mmap_page*>(page), counter_page_bytes());
}

#if defined(__x86_64__)
std::uint64_t processor_counter(std::uint32_t n) { return __builtin_ia32_rdpmc(static_cast<int>(n)); }
#else
std::uint64_t processor_counter(std::uint32_t) { return 0; }
#endif

bool readable_by_page([[maybe_unused]] int file) {
#if defined(__x86_64__)
  const perf_event_mmap_page* const page = page_of(file);
  if (!page) return false;
  const bool allowed = page->cap_user_rdpmc;
  unmap(page);
  return allowed;
#else
  return false;
#endif
}

std::string paranoid_level() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level;
  return file >> level ? "/proc/sys/kernel/perf_event_paranoid is " + level + ", it must be 2 or less"
                       : "perf_event_open is not allowed";
}

std::string why_not(int error) {
  if (error == EACCES) return "the kernel refuses them: " + paranoid_level();
  if (error == EPERM) return "perf_event_open is forbidden here, as in many containers";
  if (error == ENOSYS) return "this kernel has no perf_event_open";
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
    return "this machine does not offer them, like most virtual machines";
  return std::strerror(error);
}

// Opens the events one at a time, because the processor may not be able to count all of them at once.
void find_events(hardware_events& found, event_opener open) {
  std::string lacking;
  int error = 0;
  for (const hardware_event& event : event_choices) {
    perf_event_attr what = attributes_of(event);
    const int file = open(what, -1);
    if (file < 0) {
      error = -file;
      lacking += (lacking.empty() ? "" : ", ") + std::string(event.name);
      continue;
    }
    if (found.events.empty()) found.by_page = readable_by_page(file);
    found.events.push_back(event);
    close(file);
  }
  if (!lacking.empty()) found.missing = "hardware counters: no " + lacking + " here (" + why_not(error) + ")";
}

void fall_back_to_page_faults(hardware_events& found, event_opener open) {
  perf_event_attr what = attributes_of(page_faults);
  const int file = open(what, -1);
  if (file < 0) return;
  close(file);
  found.events.push_back(page_faults);
  found.missing += "; page faults are counted instead";
}

}  // namespace

int open_event(perf_event_attr& what, int group) {
  const long file = syscall(SYS_perf_event_open, &what, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : static_cast<int>(file);
}

hardware_events find_hardware_events(event_opener open) {
  hardware_events found;
  find_events(found, open);
  if (found.events.empty()) fall_back_to_page_faults(found, open);
  return found;
}

hardware_events hardware_events::of_threads(std::size_t threads, std::size_t max_files) const {
  const std::size_t files = threads * files_of_thread();
  if (files <= max_files) return *this;
  return {.events = {},
          .by_page = false,
          .missing = "hardware counters: not counted, since " + std::to_string(threads) +
                     " threads would take " + std::to_string(files) + " files and may take " +
                     std::to_string(max_files) + ", a quarter of what this process may open (ulimit -n)"};
}

thread_counters::thread_counters(const hardware_events& of, event_opener open) {
  static std::atomic<std::uint64_t> numbers{0};
  number_ = 1 + numbers.fetch_add(1, std::memory_order_relaxed);
  files_.fill(-1);
  for (const hardware_event& event : of.events) {
    perf_event_attr what = attributes_of(event);
    const int file = open(what, of.by_page ? -1 : files_[0]);
    files_[size_] = file;
    if (file < 0) break;
    if (of.by_page) {  // the page keeps the event
      pages_[size_] = page_of(file);
      close(std::exchange(files_[size_], -1));
      if (!pages_[size_]) break;
    }
    ++size_;
  }
}

thread_counters::~thread_counters() {
  for (const perf_event_mmap_page* page : pages_)
    if (page) unmap(page);
  for (const int file : files_)
    if (file >= 0) close(file);
}

void thread_counters::forget_pages() noexcept {
  pages_ = {};
  size_ = 0;
}

hardware_reading thread_counters::read() const noexcept { return pages_[0] ? read_pages() : read_group(); }

hardware_reading thread_counters::read_pages() const noexcept {
  hardware_reading r;
  for (std::size_t i = 0; i < size_; ++i) {
    const page_reading one = read_page(*pages_[i], processor_counter);
    r.values[i] = one.value;
    r.wanted_ns += one.wanted_ns;
    r.had_ns += one.had_ns;
  }
  return r;
}

hardware_reading thread_counters::read_group() const noexcept {
  struct {
    std::uint64_t events, wanted_ns, had_ns, values[max_hardware_events];
  } group{};
  hardware_reading r;
  if (size_ == 0 || ::read(files_[0], &group, sizeof group) <= 0) return r;
  r.wanted_ns = group.wanted_ns;
  r.had_ns = group.had_ns;
  for (std::size_t i = 0; i < std::min<std::size_t>(group.events, size_); ++i) r.values[i] = group.values[i];
  return r;
}

// ---- of the calling thread: opened by the first reading, closed when the thread ends

namespace {

// Never destroyed: threads still count during static destruction.
const hardware_events& events_here() {
  static constinit base::made_once<const hardware_events> found;
  return found.get([] { return find_hardware_events(open_event); });
}

// Destructors of static objects may read counters after the thread's own objects are destroyed.
constinit thread_local bool counters_ended = false;
constinit thread_local thread_counters* open_counters = nullptr;

class own_counters {
 public:
  own_counters() noexcept = default;
  ~own_counters() {
    counters_ended = true;
    close();
  }
  own_counters(const own_counters&) = delete;
  own_counters& operator=(const own_counters&) = delete;

  void open(const hardware_events& what) noexcept {
    if (!kept_files::may_keep(what.files_of_thread())) return;
    files_ = what.files_of_thread();
    open_counters = &counters_.emplace(what, open_event);
    if (!open_counters->any()) close();
  }
  void close() noexcept {
    if (!counters_) return;
    open_counters = nullptr;
    counters_.reset();
    kept_files::closed(files_);
  }

 private:
  std::optional<thread_counters> counters_;
  std::size_t files_ = 0;
};

own_counters& own_counters_here() noexcept {
  static thread_local own_counters own;
  return own;
}

// The child inherits counters of its parent's thread. The next reading opens counters of its own.
void close_counters_in_child() noexcept {
  if (!open_counters) return;
  open_counters->forget_pages();
  own_counters_here().close();
}
const in_child counters_in_child(close_counters_in_child);

// Where no files were left, every reading tries again, since other threads may have ended meanwhile.
const thread_counters* counters_of_this_thread() noexcept {
  if (open_counters) [[likely]]
    return open_counters;
  if (counters_ended || events_here().events.empty()) return nullptr;
  own_counters_here().open(events_here());
  return open_counters;
}

/// The ticks that one reading takes: the minimum of several, since other programs disturb, and at least 1. The counters are
/// closed again, since the calling thread need not be a worker.
std::uint64_t ticks_of_reading(const hardware_events& what) {
  const thread_counters counters(what, open_event);
  std::uint64_t min = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = host_platform::ticks();
    counters.read();
    min = std::min(min, host_platform::ticks() - before);
  }
  return std::max<std::uint64_t>(min, 1);
}

constexpr std::uint64_t time_for_reading = 200;  // reading takes at most 1/200 of the time

}  // namespace

counted_hardware host_platform::hardware_here(std::size_t threads) {
  const hardware_events found = events_here().of_threads(threads, kept_files::max());
  counted_hardware here{.events = {}, .missing = found.missing};
  if (!found.events.empty()) here.ticks_apart = time_for_reading * ticks_of_reading(found);
  for (const hardware_event& event : found.events) here.events.emplace_back(event.name);
  return here;
}

// Not inlined, as thread_number().
[[gnu::noinline]] std::uint64_t host_platform::read_hardware(observe::hardware_reading& to) noexcept {
  const thread_counters* const counters = counters_of_this_thread();
  to = counters ? counters->read() : observe::hardware_reading{};
  return counters ? counters->number() : 0;
}

}  // namespace skua::core
