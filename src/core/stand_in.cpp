#include "core/stand_in.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>

#include "core/idle_protocol.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

/// A task that naps for a moment is no reason to use another thread.
constexpr std::int64_t asleep_for_ns = 90'000'000;

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

void stand_ins::end() noexcept { made_.clear(); }

bool stand_ins::needed() noexcept {
  const std::unique_lock lock(looks_, std::try_to_lock);
  if (!lock) return false;
  const std::int64_t now = host_platform::now_ns();
  if (any_sleeps_) {
    const worker& one = of_.at(sleeps_.worker);
    if (one.begun.load(std::memory_order_relaxed) == sleeps_.begun && sleeps(one))
      return now - sleeps_.since_ns >= asleep_for_ns;
    any_sleeps_ = false;
  }
  if (now - looked_ns_ < look_again_us * 500) return false;  // half of the time between two looks
  looked_ns_ = now;
  for (std::size_t i = 0; i < of_.workers() && !any_sleeps_; ++i) {
    const std::uint32_t begun = of_.at(i).begun.load(std::memory_order_relaxed);
    any_sleeps_ = sleeps(of_.at(i));
    if (any_sleeps_) sleeps_ = {i, begun, now};
  }
  return false;
}

worker* stand_ins::take_made() noexcept {
  const std::lock_guard lock(guard_);
  for (const auto& one : made_)
    if (try_take(*one, one->at(0))) return &one->at(0);
  return nullptr;
}

worker* stand_ins::take() noexcept try {
  say_once();
  if (worker* const here = take_made()) return here;
  const making_scheduler alone;
  auto made = std::make_unique<scheduler_core>(of_stand_in(of_.options), &of_);
  worker& here = take_worker(*made);
  const std::lock_guard lock(guard_);
  made_.push_back(std::move(made));
  return &here;
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace skua::core
