#include "core/stand_in.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>

#include "core/idle_protocol.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

/// A task that naps for a moment, and a thread that waits for a moment, are no reason to use another thread.
constexpr std::int64_t patience_ns = 90'000'000;
constexpr std::int64_t between_looks_ns = 25'000'000;

settings of_stand_in(settings chosen) {
  chosen.workers = 1;
  chosen.policy = "random";
  chosen.pins = {};
  chosen.bind = binding::none;
  chosen.keep_times = chosen.keep_report = chosen.keep_trace = false;
  chosen.report_file.clear();
  chosen.trace_file.clear();
  return chosen;
}

bool sleeps(const worker& one) noexcept {
  return one.running.load(std::memory_order_relaxed) &&
         host_platform::thread_sleeps(one.thread_number.load(std::memory_order_relaxed));
}

void say_once() noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true, std::memory_order_relaxed)) return;
  std::fputs(
      "skua: all workers are held and one of their tasks is blocked, so a call from another thread runs on "
      "that "
      "thread alone; skua::blocking() around what blocks frees the worker meanwhile\n",
      stderr);
}

}  // namespace

stand_ins::~stand_ins() = default;

void stand_ins::end() noexcept {
  while (!made_.empty()) remove(*made_.back().core);
}

std::size_t stand_ins::count_blocked(std::int64_t now) {
  tasks_.resize(of_.workers());
  std::size_t blocked = 0;
  for (std::size_t i = 0; i < of_.workers(); ++i) {
    const worker& one = of_.at(i);
    const std::uint32_t begun = one.begun.load(std::memory_order_relaxed);
    sleeping_task& known = tasks_[i];
    if (!sleeps(one))
      known.sleeps = false;
    else if (!known.sleeps || known.begun != begun)
      known = {true, begun, now};
    blocked += known.sleeps && now - known.since_ns >= patience_ns;
  }
  return blocked;
}

std::size_t stand_ins::count_computing() noexcept {
  const std::lock_guard lock(guard_);
  std::size_t computing = 0;
  for (const stand_in& one : made_) {
    const worker& its = one.core->at(0);
    computing += its.running.load(std::memory_order_relaxed) && !sleeps(its);
  }
  return computing;
}

bool stand_ins::needed(std::int64_t waited_ns) noexcept try {
  const std::unique_lock lock(looks_, std::try_to_lock);
  if (!lock) return false;
  const std::int64_t now = host_platform::now_ns();
  if (now - looked_ns_ < between_looks_ns) return false;
  looked_ns_ = now;
  return count_blocked(now) > count_computing() && waited_ns >= patience_ns;
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

// Nobody else takes the worker of a new stand-in, which is in a call from the first.
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

// Out of the list first: its tasks may call fork(), which goes through the list.
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
