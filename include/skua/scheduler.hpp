// A scheduler: workers on a machine, and a stealing policy. Threads enter it with run().
//
//   skua::scheduler pool({.workers = 4, .policy = "nearest"});
//   long n = pool.run([] { return fib(30); });
//
// Most programs need no scheduler object: join, loops and groups use a default scheduler. It is created at first use
// from SKUA_WORKERS, SKUA_POLICY and SKUA_TOPOLOGY. Several schedulers may exist at the same time.
// Cost: the constructor starts one thread for each worker. run() is a function call plus the time to get a free
// worker. A thread that calls again within about 0.1 ms keeps its worker between the calls, until another thread needs
// the worker or the thread has not called for about two milliseconds (docs/performance.md has the cost of such calls).
// Throws: the constructor and default_scheduler() throw bad_input. If an environment variable has a wrong value and the
// program does not catch the exception, the process prints the sentence and ends with exit code 2. They throw
// std::runtime_error if the limits of memory or threads (ulimit, containers) allow no worker. If the limits allow some workers,
// these run, and one line on standard error per process names the limit. run() throws what its callable throws.
// Thread-safety: any thread may call run(), also a worker of another scheduler.
//
// A call from a thread that is not a worker, such as run(), a join or a loop, needs a free worker. Waiting threads get workers in
// the order in which they began to wait, but a thread that calls again and again keeps its worker for a turn of about a
// millisecond. Meanwhile a task may block a worker's thread in the kernel, for example when it waits for a std::future, a
// barrier or a file. When a task has been blocked for about a tenth of a second, and no worker has become free, the first thread
// in line runs its call alone: the call's joins and loops use that thread only. At most as many such calls compute at a time as
// there are blocked workers, so W workers have more than W computing threads only for a short time.
// One line on standard error per process reports this. To avoid it, put skua::blocking() around the blocking call: the worker
// then runs other tasks meanwhile.
// - worker_index() is 0 in such a call, as on worker 0. So the call may access an array element that worker 0 uses at the same
//   time. per_worker has separate values for each such call.
// - A task that polls, as with std::future::wait_for(0) in a loop, does not count as blocked. The call for which it waits may
//   never get a worker. Put skua::blocking() around the loop, or sleep between two polls.
// - Reports and traces do not contain such a call.
// - After a wait or skua::blocking() in the middle of a call, the call needs a worker again, and waits until one is free. So it
//   hangs if the tasks that block all workers wait for this call.
//
// Signal handlers may interrupt skua on any of its threads and may change errno. A handler must return: no exception and no
// longjmp() may leave it. It must not call skua, not even worker_index(), but it may store to a std::atomic that tasks read. On
// a thread of skua it runs on the stack of the task that it interrupts (scheduler_options::stack_bytes), or with SA_ONSTACK on
// a stack of 32 KiB. If the program handles a signal by sigwait() or signalfd(), block the signal before the first scheduler is
// made, because its threads inherit the mask.
//
// fork(): a child process has a copy of the memory and only the thread that called fork(). It can use skua:
// - At its first use in the child, a scheduler of the parent (also the default one) starts new threads, and its counters and
//   times begin at zero. The functions workers(), machine(), seats(), policy() and is_simulated() do not count as a use.
//   Before the first use in the child, configure_default_scheduler() may be called again. If the child destroys a scheduler
//   before its first use, the destructor waits for nothing. The memory of the parent's workers stays in the child until it
//   ends.
// - If fork() is called inside a call of run() or inside a task, the child finishes that call alone. Joins, loops and
//   groups then run on the calling thread, without other threads, until the call ends. A new call of a scheduler's run()
//   uses new threads, even there. exit(), _exit() and exec() work anywhere.
// - A task that another thread of the parent had taken does not run in the child. The join, loop or group that waits
//   for it throws std::runtime_error in the child.
// - If a task calls fork() on a worker's own thread, or inside skua::blocking(), the child cannot return from that task or
//   callable. At its end, the child prints one sentence and ends with exit code 2. So does a child that comes to the end of
//   its part of a phase.
// - A mutex that another thread held, or was about to lock or unlock, may stay locked in the child. Other data that it was
//   about to change may stay half changed. The stacks of the other threads are not valid there.
// - The files of SKUA_REPORT and SKUA_TRACE are the parent's. The child writes its own only where the name has %p, for
//   the process id. A recording of a simulated run is always the parent's.
// - fork() waits while another thread makes a scheduler. A signal handler that may interrupt skua must not call it.
//   None of this applies to vfork() and posix_spawn(). A child of _Fork() must not use skua.
// Paper: none.
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
#include <skua/sequence.hpp>
#include <skua/simulation.hpp>
#include <skua/topology.hpp>

namespace skua {

namespace detail {
class group_base;
class kept_context;
class outside_record;
enum class empty_braces {};
}  // namespace detail

/// Where a suspended task continues: on the worker that started it (home), or on the worker that ended its last child (free; on
/// x86-64 only). With free, a child that ends inside another task's isolated region does not count, because its worker continues
/// no other task until the region ends. In both cases a worker keeps at most eight unused stacks, and all workers share the rest.
enum class continuation { home, free };

/// The options of a scheduler.
struct scheduler_options {
  /// Number of workers, 1 or more; fewer run where the system allows no more threads. None: the value of SKUA_WORKERS,
  /// else one for each core within the CPU quota.
  std::optional<std::int64_t> workers = std::nullopt;
  /// A name from skua::policies(), with options in parentheses, or a struct of policies.hpp. Empty: the value of
  /// SKUA_POLICY, else "nearest".
  std::string policy = {};
  /// The machine. None: the value of SKUA_TOPOLOGY, else the host.
  std::optional<skua::topology> topology = std::nullopt;
  /// A file that `skua topo --measure --output` wrote. Victims are then ordered by the measured latencies. Empty: the
  /// value of SKUA_DISTANCES if no topology is given, else the order follows from the topology.
  std::string distances = {};
  /// The order in which workers are assigned to CPUs. None: the value of SKUA_PIN, else grouped.
  std::optional<skua::pin_order> pin_order = std::nullopt;
  /// Explicit CPUs instead of an order: worker i runs on cpus[i], an operating-system index. With more workers than
  /// entries the list is used again from its start. `workers` then defaults to the number of entries. Empty: the list
  /// in SKUA_PIN ("0,3,6-8"), unless pin_order is given.
  sequence<std::uint32_t> cpus = {};
  /// `workers` defaults to one for each hardware thread instead of one for each core.
  bool smt = false;
  /// Where the workers' threads may run. true: each worker only on its own CPU. Two such schedulers share no CPU while others
  /// are free. false: where the thread that creates the scheduler may run, or on all CPUs of the process if that thread is a
  /// bound worker. None: the first of these that applies.
  ///  - The value of SKUA_BIND: 0 for false, 1 for true, or `domain`.
  ///  - true if CPUs are chosen (cpus, pin_order, SKUA_PIN, measured distances).
  ///  - With at least one worker for each core: each worker is bound to the domain of its seat. With fewer workers: all of
  ///    them may run on all CPUs of the process.
  ///
  /// SKUA_BIND=0 overrides true. Threads are bound only on the host's own topology, and only if there are no more workers
  /// than CPUs.
  ///
  /// What a task starts on a bound worker inherits the worker's CPUs, as on any bound thread of Linux: std::thread, an
  /// OpenMP region, popen(), system(), posix_spawn(). A child of fork() gets the CPUs of the process back, and so does
  /// what is started inside skua::blocking(), whose threads are not bound. SKUA_BIND=0 avoids it altogether.
  std::optional<bool> bind = std::nullopt;
  /// How long an idle worker looks for work before it sleeps, in microseconds. With 0 it sleeps at once; with a
  /// negative number it never sleeps.
  std::int64_t park_after_us = 200;
  /// Where a suspended task continues.
  skua::continuation continuation = skua::continuation::home;
  /// Which of its own group tasks a worker takes next: the newest, the oldest, or the one with the greatest
  /// skua::priority hint (a task without one has priority 0; O(log tasks) for each task). Joins are always last in,
  /// first out. Thieves take the oldest task.
  skua::order own_order = skua::order::lifo;
  /// Limit of suspended stacks of a worker with continuation::home; 1 or more. Above it the worker waits in place. It
  /// resumes its own stacks that are ready, and takes only tasks that it waits for (descendants of a join, tasks of a
  /// group). When it finds none of these for 10 ms although there is work, it takes one more stack, and doubles the
  /// time before the next one. So the excess grows with the logarithm of the time waited.
  std::int64_t suspended_stacks = 64;
  /// Bytes of a task's stack, at least 16 KiB. Memory is committed when it is touched. 0: the value of
  /// SKUA_STACK_BYTES, else 1 MiB.
  std::int64_t stack_bytes = 0;
  /// Seed of the workers' random number generators. 1: the value of SKUA_SEED, else 1.
  std::uint64_t seed = 1;
  /// Records the times of report(). Cost: 30 to 60 ns for each stolen task and each wait, nothing for a fork.
  bool keep_times = false;
  /// Records what `skua report` reads (report_json()): the times, the victims of each worker, the durations of steals
  /// and tasks, a timeline, work and span (docs/reports.md). SKUA_REPORT also enables it.
  bool keep_report = false;
  /// Records events for a timeline of each worker (trace_json(), docs/trace.md). SKUA_TRACE also enables it.
  bool keep_trace = false;
  /// Runs on a simulated machine. None: the value of SKUA_SIMULATE (docs/simulation.md), else on the host.
  std::optional<simulation> simulate = std::nullopt;
};

/// A set of workers; see the top of this file. It is neither copied nor moved.
class SKUA_API scheduler {
 public:
  /// Starts the workers' threads. Throws bad_input, and std::runtime_error if not even one can be started.
  explicit scheduler(scheduler_options options = {});
  /// For `scheduler pool({})`. Without this constructor it could also mean a copy of a scheduler.
  explicit scheduler(detail::empty_braces) : scheduler(scheduler_options{}) {}
  /// Waits until all tasks have ended, then ends the threads. One of its own tasks must not call it. If one does (a task
  /// that calls exit() destroys a static scheduler), the destructor prints a message and leaves the threads running. In a
  /// child of fork() in which the scheduler has not been used it does nothing.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Calls f on the calling thread's own stack; during the call the thread is one of this scheduler's workers. f may
  /// take a task_context&. Returns the result of f and throws what f throws. Waits while no worker is free, unless tasks
  /// have blocked all workers (see the top of this file).
  template <class F>
  decltype(auto) run(F&& f) {
    return detail::run_in(*impl_, std::forward<F>(f));
  }

  /// The number of workers.
  std::size_t workers() const;
  /// The machine on which the workers are placed.
  const skua::topology& machine() const;
  /// The CPU of each worker. A worker that is bound to its domain also runs on other CPUs of the domain, and an unbound worker
  /// runs on any CPU (scheduler_options::bind). In each case skua uses the distances of these seats to order steals.
  const placement& seats() const;
  /// The name of the policy with its options.
  const std::string& policy() const;
  /// The counters so far. They are exact while no task runs.
  skua::report report() const;
  /// Sets the counters and times of report() to zero.
  void reset_report();
  /// The record of the run so far, as `skua report` reads it. It is exact while no task runs. Throws std::logic_error
  /// without scheduler_options::keep_report. The call takes milliseconds. Without memory it may end the process
  /// (std::terminate), because nlohmann-json allocates where it destroys values; trace_json() does not.
  std::string report_json() const;
  /// The timeline of all workers so far, in the Trace Event Format that Perfetto reads: about 100 bytes for each event.
  /// It is exact while no task runs. Throws std::logic_error without scheduler_options::keep_trace, and std::bad_alloc.
  std::string trace_json() const;
  /// Whether the workers run on a simulated machine.
  bool is_simulated() const;
  /// The report of the simulated machine so far; zeros on a real machine.
  simulation_report simulated() const;
  /// The progress of the simulated run. Any thread may call it, also while tasks run.
  simulation_progress simulated_so_far() const noexcept;

  [[deprecated("use skua::default_scheduler()")]] static scheduler& standard();
  [[deprecated("use skua::configure_default_scheduler()")]] static void configure_standard(
      scheduler_options options);

 private:
  friend void detail::run_outside(void (*code)(void*, task_context&), void* data, const void* from);
  friend class detail::kept_context;
  friend class detail::outside_record;
  friend class detail::group_base;
  friend SKUA_API void configure_default_scheduler(scheduler_options options);
  std::unique_ptr<detail::scheduler_impl, detail::scheduler_deleter> impl_;
};

/// The scheduler that join, loops and groups use outside of scheduler::run(). The first call creates it; it is never
/// destroyed. Throws what the constructor of scheduler throws. Any thread may call it.
SKUA_API scheduler& default_scheduler();
/// Sets the options of default_scheduler() before its first use. Throws std::logic_error after the first use. In a
/// child of fork(), the first use in the child counts.
SKUA_API void configure_default_scheduler(scheduler_options options);

/// The calling worker's number in its scheduler, 0 .. workers-1, or -1 on a thread that is not a worker now.
SKUA_API int worker_index() noexcept;

}  // namespace skua
