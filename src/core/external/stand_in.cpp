#include "core/external/stand_in.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>

#include "core/idle/idle_protocol.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

/// A task that sleeps for less, or a thread that waits for less, is no reason to use another thread. Also the time over
/// which a task is watched.
constexpr std::int64_t patience_ns = 90'000'000;
constexpr std::int64_t between_looks_ns = 25'000'000;

settings of_stand_in(settings chosen) {
  chosen.workers = 1;
  chosen.policy = policy_of("random");
  chosen.pins = {};
  chosen.bind = binding::none;
  chosen.keep_times = chosen.keep_report = chosen.keep_trace = false;
  chosen.report_file.clear();
  chosen.trace_file.clear();
  return chosen;
}

/// All 0 where the kernel does not count.
thread_counts counts_now(int thread) noexcept {
  return host_platform::counts_of_thread(thread).value_or(thread_counts{});
}

/// How long the thread has run or has been ready.
std::uint64_t busy_ns(const thread_counts& of) noexcept { return of.on_cpu_ns + of.waiting_ns; }

void say_once() noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true, std::memory_order_relaxed)) return;
  std::fputs(
      "skua: all workers are held and one of their tasks is blocked, so a call from another thread runs on "
      "that thread alone; skua::blocking() around what blocks frees the worker meanwhile\n",
      stderr);
}

}  // namespace

void task_watch::begin(std::uint32_t begun, int thread, std::int64_t now) noexcept {
  known_ = true;
  begun_ = begun;
  thread_ = thread;
  since_ns_ = now;
  before_ = counts_now(thread);
}

bool task_watch::is_blocked(const worker& one, std::int64_t now) noexcept {
  const std::uint32_t begun = tasks_begun(one);
  const int thread = one.thread_number.load(std::memory_order_relaxed);
  if (!one.running.load(std::memory_order_relaxed)) return known_ = blocked_ = false;
  if (!known_ || begun_ != begun || thread_ != thread) {
    blocked_ = false;
    begin(begun, thread, now);
  } else if (now - since_ns_ >= patience_ns) {
    const thread_counts before = before_;
    const auto passed = static_cast<std::uint64_t>(now - since_ns_);
    begin(begun, thread, now);
    const bool idle = (busy_ns(before_) - busy_ns(before)) * 5 < passed;
    // The times of a thread stand still until it gets a CPU. A thread that sleeps now and then may be ready by chance.
    blocked_ = idle && (before_.sleeps != before.sleeps || !host_platform::is_ready(thread));
  }
  return blocked_;
}

stand_ins::~stand_ins() = default;

void stand_ins::end() noexcept {
  while (!made_.empty()) remove(*made_.back().core);
}

std::size_t stand_ins::count_blocked(std::int64_t now) {
  tasks_.resize(of_.workers());
  std::size_t blocked = 0;
  for (std::size_t i = 0; i < of_.workers(); ++i) blocked += tasks_[i].is_blocked(of_.at(i), now);
  return blocked;
}

std::size_t stand_ins::count_computing(std::int64_t now) noexcept {
  const std::lock_guard lock(guard_);
  std::size_t computing = 0;
  for (stand_in& one : made_) {
    const worker& its = one.core->at(0);
    computing += its.running.load(std::memory_order_relaxed) && !one.task.is_blocked(its, now);
  }
  return computing;
}

bool stand_ins::needed(std::int64_t waited_ns) noexcept try {
  const std::unique_lock lock(looks_, std::try_to_lock);
  if (!lock) return false;
  const std::int64_t now = host_platform::now_ns();
  if (now - looked_ns_ < between_looks_ns) return false;
  looked_ns_ = now;
  return count_blocked(now) > count_computing(now) && waited_ns >= patience_ns;
} catch (const std::bad_alloc&) {
  return false;
}

worker* stand_ins::take_made() noexcept {
  const std::lock_guard lock(guard_);
  for (stand_in& one : made_)
    if (!one.in_call && try_take(*one.core, one.core->at(0))) {
      one.in_call = true;
      return &one.core->at(0);
    }
  return nullptr;
}

// No other thread takes the worker of a new stand-in, because the stand-in is marked as in a call from the start.
worker* stand_ins::take() noexcept try {
  say_once();
  if (worker* const here = take_made()) return here;
  const making_scheduler alone;
  auto made = std::make_unique<scheduler_core>(of_stand_in(of_.options), &of_);
  scheduler_core& core = *made;
  {
    const std::lock_guard lock(guard_);
    made_.push_back({std::move(made), true});
  }
  return &take_worker(core);
} catch (const std::exception&) {
  return nullptr;
}

void stand_ins::give_back(const scheduler_core& one) noexcept {
  const std::lock_guard lock(guard_);
  for (stand_in& other : made_)
    if (other.core.get() == &one) other.in_call = false;
}

// Takes it out of the list first: its tasks may call fork(), which goes through the list.
void stand_ins::remove(const scheduler_core& one) noexcept {
  std::unique_ptr<scheduler_core> last;
  {
    const std::lock_guard lock(guard_);
    const auto at =
        std::ranges::find_if(made_, [&](const stand_in& other) { return other.core.get() == &one; });
    last = std::move(at->core);
    made_.erase(at);
  }
}

}  // namespace skua::core
