// The watchdog learns from /proc what a thread does.
#include "core/platform/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/platform/process_fork.hpp"
#include "core/platform/timed_thread.hpp"

namespace skua::core {

namespace {

using seconds = std::chrono::duration<double>;
constexpr seconds max_between_checks{0.5};

struct thread_facts {
  bool sleeps = false;
  double computed_s = 0;
};

/// From /proc/self/task/N/stat: the state follows the name in brackets, and the 12th and 13th field after it are the CPU
/// time.
thread_facts facts_of(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text, word;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  thread_facts facts;
  double ticks = 0;
  for (int field = 0; field <= 12 && fields >> word; ++field) {
    if (field == 0) facts.sleeps = word == "S" || word == "D";
    if (field >= 11) ticks += std::stod(word);
  }
  facts.computed_s = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  return facts;
}

}  // namespace

class watchdog::thread {
 public:
  thread(const vital_signs& watched, std::string machine, double patience_s)
      : watched_(watched), machine_(std::move(machine)), patience_s_(patience_s) {}

  bool exists() const noexcept { return process_ == process_generation(); }

 private:
  /// True when it has reported.
  bool check(double since_last_s) {
    const int inside = watched_.real_thread.load(std::memory_order_relaxed);
    const std::uint64_t events = watched_.events.load(std::memory_order_relaxed);
    const bool progresses = inside == 0 || inside != thread_ || events != events_;
    thread_ = inside;
    events_ = events;
    if (progresses) {
      checks_in_vain_ = 0;
      return false;
    }
    const thread_facts now = facts_of(inside);
    if (checks_in_vain_++ == 0) {
      computed_before_s_ = now.computed_s;
      slept_s_ = 0;
      return false;
    }
    if (now.sleeps) slept_s_ += since_last_s;
    if (now.computed_s - computed_before_s_ >= patience_s_)
      report("computes",
             "if it spins until another worker writes a word, it spins for ever, since workers take turns "
             "only when "
             "they enter skua: wait with a join, a group or a skua::mutex");
    else if (slept_s_ >= patience_s_)
      report("sleeps in the kernel",
             "if it waits for another worker, which may hold its lock, it sleeps for ever, since workers "
             "take turns "
             "only when they enter skua: use a skua::mutex, or hold no lock across forks, joins and "
             "declarations");
    else
      return false;
    return true;
  }

  void report(const char* does, const char* advice) const {
    const std::uint32_t worker = watched_.worker.load(std::memory_order_relaxed);
    const std::string thread_name = worker == vital_signs::no_worker ? "a thread that is not a worker"
                                                                     : "worker " + std::to_string(worker);
    std::fprintf(
        stderr,
        "skua: simulated %s: %s on CPU %u has not entered skua for %g s and %s; %s (docs/simulation.md)\n",
        machine_.c_str(), thread_name.c_str(), watched_.cpu.load(std::memory_order_relaxed), patience_s_,
        does, advice);
  }

  const vital_signs& watched_;
  const std::string machine_;
  const double patience_s_;
  int thread_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t checks_in_vain_ = 0;
  double computed_before_s_ = 0, slept_s_ = 0;
  const std::uint32_t process_ = process_generation();
  const seconds between_ = std::min(max_between_checks, seconds(patience_s_ / 4));
  timed_thread checks_{between_, [this] { return !check(between_.count()); }};  // last: it uses the others
};

watchdog::watchdog(const vital_signs& watched, std::string machine, double patience_s)
    : watched_(watched), machine_(std::move(machine)), patience_s_(patience_s) {}
watchdog::~watchdog() { leave_behind(); }

// The thread is the parent's, in a child of fork().
void watchdog::leave_behind() noexcept {
  if (thread_ && !thread_->exists()) static_cast<void>(thread_.release());
}

void watchdog::watch() {
  leave_behind();
  if (thread_ || patience_s_ <= 0) return;
  try {
    thread_ = std::make_unique<thread>(watched_, machine_, patience_s_);
  } catch (const std::system_error&) {  // no more threads: then the machine is not watched
  }
}

}  // namespace skua::core
