// What the core tells about one worker, and what is kept of it. The core says what happens; this code decides which
// clocks it reads and which logs it writes.
//
// A hook costs one test where neither times nor a report are kept. No hook is on the inlined path of a fork or a loop.
// The counters are always kept. Only the thread that holds the worker calls the hooks; any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <skua/report.hpp>
#include <skua/topology.hpp>

#include "base/for_simulator.hpp"
#include "core/platform/platform.hpp"
#include "observe/counting.hpp"
#include "observe/stopwatch.hpp"
#include "observe/trace_log.hpp"
#include "observe/worker_log.hpp"

namespace skua::core {

using worker_counters = observe::counting;
using trace_log = observe::trace_log<detail::host_atomics>;

struct worker_observer {
  worker_counters counters;
  observe::stopwatch watch;         // on only with keep_times
  observe::count kept_calls;        // since the clock was started, of external threads that keep the worker
  observe::count looks_while_kept;  // of the own thread at the worker, which an external thread keeps
  observe::count library_in_tasks_ps;  // in virtual time; the stopwatch counts it as `user`
  observe::worker_log* log = nullptr;  // null without keep_report
  trace_log* events = nullptr;         // null without keep_trace

  bool records() const noexcept { return log || events; }

  /// The worker does this from now on, until the next call.
  void enters(activity what) noexcept {
    if (watch.on()) [[unlikely]]
      change_activity(what);
  }

  /// The same for what began at an earlier time, after the last activity. Reads no hardware counters.
  void entered(activity what, std::uint64_t at) noexcept;
  void count_hardware_if_due(std::uint64_t now) noexcept {
    if (log && log->hardware.is_due(now)) [[unlikely]]
      change_activity(watch.does());
  }
  /// The events since the last reading of the counters do not count.
  void forget_hardware() noexcept {
    if (log) log->hardware.forget();
  }

  void took_own_task() noexcept { counters.own_tasks.add(); }

  void search_begins() noexcept {
    if (log) [[unlikely]]
      search_began_ = host_platform::ticks();
  }
  /// The search starts over: at its beginning, after a sleep, and after another thread held the worker.
  void search_restarts() noexcept {
    enters(activity::looking);
    if (log) [[unlikely]]
      restarted_ = host_platform::ticks();
  }
  void asks_policy() noexcept {
    if (log) [[unlikely]]
      asked_ = host_platform::ticks();
  }
  void policy_answered(bool found) noexcept { enters(found ? activity::taking : activity::looking); }
  void search_ends(bool found) noexcept {
    if (log) [[unlikely]]
      keep_search_times(found);
  }

  void looked_at(worker_id victim) noexcept {
    if (log) [[unlikely]]
      log->with(victim).looks.add();
  }
  /// An attempt that took nothing. `remote`: the victim is in another domain.
  void missed(worker_id victim, bool remote) noexcept {
    count_attempt(remote);
    if (log) log->with(victim).misses.add();
  }
  void stole(worker_id victim, std::size_t distance, bool remote) noexcept {
    received(victim, distance, remote);
    if (events) [[unlikely]]
      events->add({host_platform::ticks(), victim, observe::trace_kind::steal});
  }
  /// A steal by messages. A trace draws the messages themselves.
  void received(worker_id victim, std::size_t distance, bool remote) noexcept {
    count_steal(remote);
    counters.by_distance[distance].add();
    if (log) log->with(victim).steals.add();
  }
  /// Attempts at a domain's pool of inter-domain tasks. A report counts them with the domain's head worker, if it has one.
  void missed_in_pool(std::optional<worker_id> head, bool remote) noexcept {
    count_attempt(remote);
    if (log && head) log->with(*head).misses.add();
  }
  void took_from_pool(std::optional<worker_id> head, bool remote) noexcept {
    count_steal(remote);
    if (log && head) log->with(*head).steals.add();
  }

 private:
  void count_attempt(bool remote) noexcept {
    counters.attempts.add();
    if (remote) counters.remote_attempts.add();
  }
  void count_steal(bool remote) noexcept {
    count_attempt(remote);
    counters.steals.add();
    if (remote) counters.remote_steals.add();
  }
  void change_activity(activity what) noexcept;
  void draw_change(activity next, std::uint64_t now) noexcept;
  void count_hardware(activity next, std::uint64_t now) noexcept;
  void keep_search_times(bool found) noexcept;

  std::uint64_t search_began_ = 0, restarted_ = 0, asked_ = 0;  // in ticks
};

class stack;

/// A task on this stack declared so many bytes.
void count_declared(const stack& self, std::uint64_t bytes) noexcept;

/// In virtual time: the worker's task used words of the scheduler, or a fast path of it, for this many cycles.
SKUA_FOR_SIMULATOR void passed_in_library(std::uint64_t cycles, double ghz) noexcept;

}  // namespace skua::core
