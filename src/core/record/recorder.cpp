#include "core/record/recorder.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <skua/declare.hpp>

#include "core/worker.hpp"

namespace skua::core {

recorder::recorder(std::size_t workers, bool real) {
  if (real) hardware_ = host_platform::hardware_here(2 * workers);  // and as many external threads
  for (std::size_t i = 0; i < workers; ++i) {
    logs_.push_back(std::make_unique<observe::worker_log>(workers));
    if (!hardware_.events.empty()) logs_.back()->hardware.turn_on(hardware_.ticks_apart);
    threads_.push_back(std::make_unique<threads_of_worker>());
  }
  detail::listeners.fetch_add(1, std::memory_order_relaxed);
}

recorder::~recorder() { detail::listeners.fetch_sub(1, std::memory_order_relaxed); }

namespace {

thread_counts counts_now(int thread) noexcept {
  return host_platform::counts_of_thread(thread).value_or(thread_counts{});
}

std::uint64_t since(std::uint64_t before, std::uint64_t now) noexcept { return now - std::min(now, before); }

void add_since(thread_counts& to, const thread_counts& before, const thread_counts& now) noexcept {
  to.on_cpu_ns += since(before.on_cpu_ns, now.on_cpu_ns);
  to.waiting_ns += since(before.waiting_ns, now.waiting_ns);
  to.preemptions += since(before.preemptions, now.preemptions);
}

}  // namespace

simulation_report recorder::simulated_before() const {
  const std::lock_guard lock(simulated_guard_);
  return simulated_before_;
}

void recorder::simulated_before(const simulation_report& now) {
  const std::lock_guard lock(simulated_guard_);
  simulated_before_ = now;
}

void recorder::clear(std::int64_t ns) {
  for (const auto& log : logs_) log->clear();
  {
    const std::lock_guard lock(inside_guard_);
    inside_ns_ = 0;
    since_ = ns;
  }
  for (const auto& threads : threads_) {
    const std::lock_guard lock(threads->guard);
    threads->external_threads = {};
    if (threads->own != 0) threads->own_before = counts_now(threads->own);
    if (!threads->attached)
      threads->external = 0;
    else
      threads->read_anew(counts_now(threads->external), host_platform::now_ns());
  }
  process_before_.store(host_platform::process_cpu_ns(), std::memory_order_relaxed);
  machine_before_.store(host_platform::machine_cpu_ns().value_or(-1), std::memory_order_relaxed);
}

void recorder::call_begins(std::int64_t now_ns) noexcept {
  const std::lock_guard lock(inside_guard_);
  if (inside_++ == 0) since_ = now_ns;
}

void recorder::call_ends(std::int64_t now_ns) noexcept {
  const std::lock_guard lock(inside_guard_);
  if (--inside_ == 0) inside_ns_ += std::max<std::int64_t>(0, now_ns - since_);
}

// ---- external threads

void recorder::threads_of_worker::read_anew(const thread_counts& now, std::int64_t ns) noexcept {
  external_before = now;
  read_ns = left_ns = ns;
  away_ns = 0;
}

/// What the thread has done since its last reading, without the time that it was away.
thread_counts recorder::threads_of_worker::since_read(const thread_counts& now) const noexcept {
  thread_counts more;
  add_since(more, external_before, now);
  more.on_cpu_ns -= std::min(more.on_cpu_ns, static_cast<std::uint64_t>(away_ns));
  return more;
}

/// What a thread that has left has probably done since its last reading.
thread_counts recorder::threads_of_worker::unread() const noexcept {
  return {.on_cpu_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, left_ns - read_ns - away_ns))};
}

void recorder::external_thread_attaches(const worker& at, std::int64_t now_ns) noexcept {
  if (!host_platform::counts_threads()) return;
  threads_of_worker& threads = *threads_[at.id];
  const std::lock_guard lock(threads.guard);
  const int number = host_platform::thread_number();
  if (threads.external == number && now_ns - threads.read_ns < counts_last_ns) {
    if (!threads.attached) threads.away_ns += std::max<std::int64_t>(0, now_ns - threads.left_ns);
    threads.attached = true;
    return;
  }
  log(at.id).hardware.begin_anew();
  if (threads.external != 0 && !threads.attached) add_since(threads.external_threads, {}, threads.unread());
  threads.external = number;
  threads.attached = true;
  threads.read_anew(counts_now(0), now_ns);
}

void recorder::external_thread_leaves(const worker& from, std::int64_t at_ns) noexcept {
  if (!host_platform::counts_threads()) return;
  threads_of_worker& threads = *threads_[from.id];
  const std::lock_guard lock(threads.guard);
  if (!threads.attached) return;
  threads.attached = false;
  threads.left_ns = std::max(threads.read_ns, at_ns);
  if (at_ns - threads.read_ns < counts_last_ns) return;
  const int number = threads.external == host_platform::thread_number() ? 0 : threads.external;
  const thread_counts now = counts_now(number);
  const std::int64_t now_ns = host_platform::now_ns();
  threads.away_ns += std::max<std::int64_t>(0, now_ns - at_ns);
  add_since(threads.external_threads, {}, threads.since_read(now));
  threads.read_anew(now, now_ns);
}

std::int64_t recorder::inside_ns(std::int64_t now) const noexcept {
  const std::lock_guard lock(inside_guard_);
  return inside_ns_ + (inside_ != 0 && now > since_ ? now - since_ : 0);
}

void recorder::own_thread(worker_id worker) noexcept {
  threads_of_worker& threads = *threads_[worker];
  const std::lock_guard lock(threads.guard);
  threads.own = host_platform::thread_number();
}

void recorder::own_thread_watches(worker_id worker, std::uint64_t keeping) noexcept {
  threads_of_worker& threads = *threads_[worker];
  const std::lock_guard lock(threads.guard);
  const thread_counts now = counts_now(0);
  if (std::exchange(threads.keeping, keeping) == keeping)
    add_since(threads.own_before, threads.own_watched, now);
  threads.own_watched = now;
}

std::optional<thread_counts> recorder::counts_of_threads(worker_id worker) const noexcept {
  threads_of_worker& threads = *threads_[worker];
  const std::lock_guard lock(threads.guard);
  // 0: it has not begun, and has no counts. The calling thread's show whether the kernel counts.
  const auto own = host_platform::counts_of_thread(threads.own);
  if (!own) return std::nullopt;
  thread_counts all = threads.external_threads;
  if (threads.own != 0) add_since(all, threads.own_before, *own);
  if (threads.external == 0) return all;
  add_since(all, {}, threads.attached ? threads.since_read(counts_now(threads.external)) : threads.unread());
  return all;
}

std::int64_t recorder::process_cpu_ns() const noexcept {
  return host_platform::process_cpu_ns() - process_before_ns();
}

std::optional<std::int64_t> recorder::other_cpu_ns() const noexcept {
  const auto now = host_platform::machine_cpu_ns();
  const std::int64_t before = machine_before_.load(std::memory_order_relaxed);
  if (!now || before < 0) return std::nullopt;
  return std::max<std::int64_t>(0, *now - before - process_cpu_ns());
}

}  // namespace skua::core
