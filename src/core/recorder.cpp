#include "core/recorder.hpp"

#include <algorithm>
#include <mutex>

#include <skua/declare.hpp>

#include "core/place.hpp"

namespace skua::core {

recorder::recorder(std::size_t workers) {
  for (std::size_t i = 0; i < workers; ++i) {
    logs_.push_back(std::make_unique<observe::worker_log>(workers));
    threads_.push_back(std::make_unique<threads_of_place>());
  }
  detail::listeners.fetch_add(1, std::memory_order_relaxed);
}

recorder::~recorder() { detail::listeners.fetch_sub(1, std::memory_order_relaxed); }

void recorder::clear(std::uint64_t ticks, std::int64_t ns) {
  for (const auto& log : logs_) log->clear(ticks);
  {
    const std::lock_guard lock(inside_guard_);
    inside_ns_ = 0;
    since_ = ns;
  }
  for (const auto& threads : threads_) {
    threads->on_cpu_ns.clear();
    threads->waiting_ns.clear();
    threads->preemptions.clear();
    if (const int own = threads->own.load(std::memory_order_relaxed))
      threads->own_before = host_platform::counts_of_thread(own).value_or(thread_counts{});
  }
  process_before_ = host_platform::process_cpu_ns();
  machine_before_ = host_platform::machine_cpu_ns().value_or(-1);
}

void recorder::call_begins() noexcept {
  const std::int64_t now = host_platform::now_ns();
  const std::lock_guard lock(inside_guard_);
  if (inside_++ == 0) since_ = now;
}

void recorder::call_ends() noexcept {
  const std::int64_t now = host_platform::now_ns();
  const std::lock_guard lock(inside_guard_);
  if (--inside_ == 0) inside_ns_ += now - since_;
}

void recorder::guest_sits_down(const place& at) noexcept {
  if (host_platform::in_virtual_time()) return;
  threads_[at.id]->guest_before = host_platform::counts_of_thread(0).value_or(thread_counts{});
}

namespace {

std::uint64_t since(std::uint64_t before, std::uint64_t now) noexcept { return now - std::min(now, before); }

}  // namespace

void recorder::guest_leaves(const place& from) noexcept {
  if (host_platform::in_virtual_time()) return;
  threads_of_place& threads = *threads_[from.id];
  const thread_counts now = host_platform::counts_of_thread(0).value_or(threads.guest_before);
  threads.on_cpu_ns.add(since(threads.guest_before.on_cpu_ns, now.on_cpu_ns));
  threads.waiting_ns.add(since(threads.guest_before.waiting_ns, now.waiting_ns));
  threads.preemptions.add(since(threads.guest_before.preemptions, now.preemptions));
}

std::int64_t recorder::inside_ns(std::int64_t now) const noexcept {
  const std::lock_guard lock(inside_guard_);
  return inside_ns_ + (inside_ != 0 && now > since_ ? now - since_ : 0);
}

void recorder::own_thread(worker_id worker) noexcept {
  threads_of_place& threads = *threads_[worker];
  threads.own.store(host_platform::thread_number(), std::memory_order_relaxed);
}

std::optional<thread_counts> recorder::counts_of_threads(worker_id worker) const noexcept {
  const threads_of_place& threads = *threads_[worker];
  const int own = threads.own.load(std::memory_order_relaxed);
  if (own == 0) return std::nullopt;
  const auto now = host_platform::counts_of_thread(own);
  if (!now) return std::nullopt;
  return thread_counts{
      .on_cpu_ns = threads.on_cpu_ns.read() + since(threads.own_before.on_cpu_ns, now->on_cpu_ns),
      .waiting_ns = threads.waiting_ns.read() + since(threads.own_before.waiting_ns, now->waiting_ns),
      .preemptions = threads.preemptions.read() + since(threads.own_before.preemptions, now->preemptions)};
}

std::int64_t recorder::process_cpu_ns() const noexcept {
  return host_platform::process_cpu_ns() - process_before_;
}

std::optional<std::int64_t> recorder::other_cpu_ns() const noexcept {
  const auto now = host_platform::machine_cpu_ns();
  if (!now || machine_before_ < 0) return std::nullopt;
  return std::max<std::int64_t>(0, *now - machine_before_ - process_cpu_ns());
}

}  // namespace skua::core
