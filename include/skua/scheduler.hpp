// A scheduler: workers on a machine, a stealing policy, and the door through which threads enter.
//
//   skua::scheduler pool({.workers = 4, .policy = "nearest"});
//   long n = pool.run([] { return fib(30); });
//
// Most programs need none: join, loops and groups use a default scheduler, made at first use from
// SKUA_WORKERS, SKUA_POLICY and SKUA_TOPOLOGY. Several schedulers may live at once.
// Thread-safety: run() may be called from any thread, also from a worker of another scheduler. But two schedulers whose
// tasks call each other's run() in a circle may wait for ever when neither has a free place: each then keeps, while it
// waits, the place that the other one waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <skua/detail/run.hpp>
#include <skua/order.hpp>
#include <skua/report.hpp>
#include <skua/simulation.hpp>
#include <skua/topology.hpp>

namespace skua {

/// Where a suspended task continues: on the worker where it began, or (on x86-64 only) where its last child ended.
/// Either way a worker keeps at most eight unused stacks; the others serve all workers.
enum class continuation { home, free };

struct scheduler_options {
  /// 1 or more; none: what SKUA_WORKERS says, else one a core within the CPU quota.
  std::optional<std::int64_t> workers = std::nullopt;
  /// A name from skua::policies(), options and all, or a struct of policies.hpp; empty: what SKUA_POLICY says, else "nearest".
  std::string policy = {};
  /// none: what SKUA_TOPOLOGY says, else the host.
  std::optional<skua::topology> topology = std::nullopt;
  /// A file of `skua topo --measure --output`: victims are ordered by what was measured. Empty: with no topology
  /// given, what SKUA_DISTANCES says; else as the machine itself says.
  std::string distances = {};
  /// Which worker sits on which CPU; none: what SKUA_PIN says, else grouped.
  std::optional<skua::pin_order> pin_order = std::nullopt;
  /// Worker i sits on cpus[i], an operating-system index, in place of an order; the first again where there are more workers
  /// than CPUs here. Default for `workers`: one each. Empty: what SKUA_PIN says, "0,3,6-8", unless pin_order is given.
  std::vector<std::uint32_t> cpus = {};
  /// Default for `workers`: one a hardware thread instead of one a core.
  bool smt = false;
  /// Bind each worker's thread to its CPU (only on the host's own topology and with no more workers than CPUs).
  bool bind = true;
  /// How long an idle worker looks for work before it sleeps, in microseconds; 0 sleeps at once,
  /// a negative number never sleeps.
  std::int64_t park_after_us = 200;
  skua::continuation continuation = skua::continuation::home;
  /// Which of its own group tasks a worker takes next: the newest, the oldest, or that with the greatest skua::priority
  /// hint (none counts as 0; O(queued) a task). Joins are always last in, first out; thieves take the oldest.
  skua::order own_order = skua::order::lifo;
  /// At home: beyond this many suspended stacks a worker waits in place: it goes on with its own stacks that are ready,
  /// and takes only what it waits for has left (a join's descendants, a group's tasks). When that brings nothing for
  /// 10 ms while there is work, it takes one more stack, and waits twice as long before the next, so the excess grows
  /// with the logarithm of the time waited. 1 or more.
  std::int64_t suspended_stacks = 64;
  /// Bytes of a task's stack, committed as touched; 0: what SKUA_STACK_BYTES says, else 1 MiB. At least 16 KiB.
  std::int64_t stack_bytes = 0;
  /// Seed of the workers' generators.
  std::uint64_t seed = 1;
  /// Keep the times of report(): 30 to 60 ns for each task that a thief takes and each wait, nothing for a fork.
  bool keep_times = false;
  /// Keep what `skua report` reads (report_json()): the times, and whom each worker met, how long steals and tasks took, a
  /// timeline, work and span (docs/reports.md). Asked for by SKUA_REPORT too.
  bool keep_report = false;
  /// Keep events for a timeline of every worker (trace_json(), docs/trace.md). Asked for by SKUA_TRACE too.
  bool keep_trace = false;
  /// Run on a simulated machine; none: what SKUA_SIMULATE says (docs/simulation.md), else on this one.
  std::optional<simulation> simulate = std::nullopt;
};

class SKUA_API scheduler {
 public:
  /// Throws bad_input. Starts the workers' threads.
  explicit scheduler(scheduler_options options = {});
  /// Waits for what is still running, then ends the threads. Must not be called by one of its own tasks.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Calls f on the calling thread's own stack as one of this scheduler's workers; returns its result,
  /// throws what it throws. Waits while every worker's place is taken.
  template <class F>
  decltype(auto) run(F&& f) {
    return detail::run_in(*impl_, std::forward<F>(f));
  }

  std::size_t workers() const;
  const skua::topology& machine() const;
  const placement& seats() const;
  const std::string& policy() const;
  /// Counters so far; exact while nothing runs.
  skua::report report() const;
  void reset_report();
  /// All that is known of the run so far, as `skua report` reads it; exact while nothing runs. Throws std::logic_error
  /// without scheduler_options::keep_report. Milliseconds.
  std::string report_json() const;
  /// The timeline of all workers so far, in the Trace Event Format that Perfetto reads; exact while nothing runs. Throws
  /// std::logic_error without scheduler_options::keep_trace, std::bad_alloc. Some 100 bytes an event.
  std::string trace_json() const;
  bool is_simulated() const;
  /// Of a simulated machine, so far; zeros on a real one.
  simulation_report simulated() const;
  /// How far it is; also while a task of it runs, by any thread.
  simulation_progress simulated_so_far() const noexcept;

  [[deprecated("use skua::default_scheduler()")]] static scheduler& standard();
  [[deprecated("use skua::configure_default_scheduler()")]] static void configure_standard(
      scheduler_options options);

 private:
  friend void detail::run_outside(void (*code)(void*, task_context&), void* data, const void* from);
  std::unique_ptr<detail::scheduler_impl, detail::scheduler_deleter> impl_;
};

/// The scheduler that join, loops and groups use outside of scheduler::run(). The first call makes it; it is never destroyed.
/// Throws what scheduler's constructor throws. Any thread may call it.
SKUA_API scheduler& default_scheduler();
/// Sets the options of default_scheduler(), before its first use; throws std::logic_error after it.
SKUA_API void configure_default_scheduler(scheduler_options options);

/// The calling worker's number in its scheduler, 0 .. workers-1, or -1 on a thread that is no worker now.
SKUA_API int worker_index() noexcept;

}  // namespace skua
