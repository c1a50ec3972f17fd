// One scheduler from inside: its workers, its idle protocol, its memory for stacks and task records.
//
// The parts, each in a file of its own:
//   worker_loop.cpp      where a worker without a task finds work: ready stacks, own tasks, the policy; and sleep
//   stealing.cpp         the thief that a policy sees, and running stolen tasks
//   worker.cpp           the beginning and the end of a task on a worker
//   stack.cpp            the stacks of a scheduler
//   waiting.cpp          suspending a stack, continuing it, waiting in place, and the tasks that run during a wait
//   external_thread.cpp  calls from threads that are not workers
//   kept_worker.hpp      workers that such threads keep between their calls
//   stand_in.hpp         such calls when no worker will be free
//   slow_path.cpp        the slow path of forks, joins and scopes
//   group/group.cpp      groups of tasks
//   mutex.cpp            tasks that wait for a mutex
//   child_of_fork.cpp    what remains of a scheduler in a child of fork()
//   queue/shared_records.hpp  what lies beside a record so that others can take it
//   queue/tiers.cpp      inter-domain tasks
//   record/observer.hpp, record/observed.hpp  the events that all of these report to an observer
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include "core/dealing/piece_trials.hpp"
#include "core/external/stand_in.hpp"
#include "core/idle/sleepers.hpp"
#include "core/learning/code_estimates.hpp"
#include "core/phase/management.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/simulated_machine.hpp"
#include "core/queue/inbox.hpp"
#include "core/queue/record_memory.hpp"
#include "core/queue/tiers.hpp"
#include "core/record/record.hpp"
#include "core/record/recorder.hpp"
#include "core/record/tracer.hpp"
#include "core/start/settings.hpp"
#include "core/stealing.hpp"
#include "core/waiting.hpp"
#include "core/worker.hpp"
#include "observe/run_record.hpp"

namespace skua::core {

class call_rows;
class policy_chooser;
class virtual_callers;
class work_span_totals;

/// The group of stolen joins that lie in their thief's queue as tasks, to run later. It is never waited for or
/// cancelled.
class join_holder final : public detail::group_base {
 public:
  join_holder() : group_base(nullptr) {}
  ~join_holder() = default;
};

/// Which sleepers: all, or those that do not wake on a timer.
enum class sleeper_kind { anyhow, without_timer };

class alignas(detail::line_pair) scheduler_core {
 public:
  /// `for_whom`: the scheduler for which it stands in, if any.
  explicit scheduler_core(settings chosen, scheduler_core* for_whom = nullptr);
  ~scheduler_core();
  /// Waits until all tasks have ended, and ends the threads. No thread calls the scheduler any more.
  void stop() noexcept;

  const settings options;
  const std::shared_ptr<simulated_machine> simulated;     // null: this scheduler's threads are real
  const std::uint32_t generation = process_generation();  // of the process that made it
  const std::uint64_t serial;                      // unlike its address, never that of another scheduler
  const bool lets_keep;                            // external threads may keep a worker between their calls
  const std::unique_ptr<virtual_callers> callers;  // null without a simulated machine
  /// In a child of fork(): an earlier process made it, and its threads do not exist here. Only a thread that called
  /// fork() while it was inside still uses it, alone (child_of_fork.cpp).
  bool inherited = false;
  const claimed_placement claim;
  const placement placed;
  queue_kind joins = queue_kind::split;  // of all its stacks, as the policy demands
  std::vector<std::unique_ptr<worker>> all_workers;
  std::vector<domain_pool> domains;
  std::size_t occupied_domains = 0;  // that have a worker
  bool may_deal = false;             // records may be handed to idle workers, see dealing.hpp
  std::unique_ptr<policy_chooser>
      choices;  // null: the policy has no candidates, or there is nothing to choose
  piece_trials trials_of_loops;
  // For dealing, in nanoseconds: a position of a loop, the shortest time of one, and a group task. And how many tasks the group of
  // such a task had.
  code_estimates costs_of_loops, min_costs_of_loops, costs_of_tasks, sizes_of_groups;
  // The words below are shared by many threads. Their positions in their cache lines do not depend on the members
  // above.
  alignas(detail::line_pair) shared<std::size_t> regions{0};  // with a boundary, entered now
  std::unique_ptr<announcements> announced;                   // null if the policy does not announce
  std::unique_ptr<management> managed;                        // null if the policy does not manage
  sleepers<host_platform> idle;
  shared<bool> stopping{false};
  shared<std::size_t> foreign_wakers{0};
  join_holder held_joins;
  inbox arrived{*this};  // tasks of external threads

  // External threads that wait for a worker.
  waiting_external_threads<host_platform>
      external_threads;  // for any worker; `domains` counts those for one of a domain
  vacancies<host_platform> free_workers;

  bool external_threads_want(const worker& here) const noexcept {
    return external_threads.any() || domains[placed[here.id].domain].external_threads.any();
  }

  bool is_kept(const worker& here) const noexcept { return lets_keep && here.kept.begins_to_watch(); }
  void look_after_kept(worker& here) noexcept;

  worker& at(std::size_t i) noexcept { return *all_workers[i]; }
  std::size_t workers() const noexcept { return all_workers.size(); }

  /// A stack parked in the worker loop, or a new one, or null when there is no memory. The caller holds the worker.
  stack* take_stack(worker& here) noexcept;
  void give_back_stack(worker& here, stack& s) noexcept;
  stack& take_external_stack(worker& here);
  void give_back_external_stack(worker& here, stack& s) noexcept;

  /// For a thread without a worker: the worker that it held last.
  std::size_t near_caller() const noexcept;
  /// Records for group tasks, in batches of task_pool::batch that are linked by `next`. A batch that worker `at` has given back
  /// comes first: its lines lie in that worker's caches. Throws std::bad_alloc.
  detail::task* take_batch(std::size_t at);
  void give_batch(detail::task* first, std::size_t at) noexcept;

  /// Whether there are tasks of external threads. There are none on a simulated machine, where a look would take time.
  /// True is a guess.
  bool any_arrived() const noexcept { return !simulated && arrived.any(); }
  /// The same, exactly. O(external threads).
  bool any_arrived_now() const noexcept { return !simulated && arrived.any_now(); }
  /// A thread without a worker adds a counted task.
  void add_from_outside(detail::task& t) noexcept;
  /// After a publication: wakes the nearest sleeper if no worker searches. For any thread.
  void published(worker& from) noexcept;
  /// Records have moved from another queue, an inbox or a list of stacks into the queues of a worker that the calling
  /// thread holds. A worker that fell asleep while they were in neither may be needed.
  void show_moved(worker& to) noexcept;
  bool wake_nearest(worker& from, sleeper_kind kind = sleeper_kind::anyhow) noexcept;
  /// Whether there is anything that a thief could take, or ask for.
  bool any_work() const noexcept;
  /// Lowers the limits at a worker, so that the next push there publishes.
  void request_pushes(worker& of) noexcept;
  /// Whether there is a ready stack, a message or a stolen task, which no other thread attends to. Or a task has
  /// arrived, and its sender may have seen no sleeper.
  bool needs_own_thread(const worker& here) const noexcept {
    return here.ready.any() || any_arrived_now() || here.view->any_left() ||
           (managed && managed->called(here.id));
  }
  /// Called in an exception handler when this worker's policy threw. Prints a message once for each scheduler and
  /// continues with `nearest` on this worker. Without memory for that it changes nothing.
  void replace_policy(worker& here) noexcept;
  /// A worker has slept `naps` times in a row although there was work. If a user's policy has never taken anything,
  /// prints a message once for each scheduler.
  void say_if_nothing_is_stolen(unsigned naps) noexcept;
  /// A suspended stack may continue. If `ask`: returns whether it can soon, since its home worker runs no task.
  bool make_ready(stack& s, bool ask = false) noexcept;
  /// In a child of fork(): a worker for the calling thread alone, because missing threads may hold all others.
  worker& make_worker_of_child(worker_id like);
  /// Whether owners publish everything that they push. When the kernel refuses membarrier(2) they always do, because no
  /// thread can take their records by force later. With managers they publish only on request.
  bool any_idle() const noexcept {
    if (inherited) return false;
    return (!managed && idle.count().any()) || !host_platform::heavy_fence_works();
  }
  /// What an owner leaves public when it takes a record back: all if workers look for one.
  stay_public stays_public(stay_public otherwise) const noexcept {
    return any_idle() ? stay_public::all : managed ? stay_public::none : otherwise;
  }
  /// Whether owners may hand records to idle workers now. Beside regions, only those that are bound to the owner's domain.
  bool deals() const noexcept {
    return deals_in_domains() && detail::host_atomics::quietly(regions).load(std::memory_order_relaxed) == 0;
  }
  /// The same for records that stay in their domain.
  bool deals_in_domains() const noexcept {
    return may_deal && !inherited && chosen_policy_deals() && host_platform::heavy_fence_works();
  }
  /// Whether the policy that is in use now deals, or announces. False only where it is one of several candidates.
  bool chosen_policy_deals() const noexcept;
  bool chosen_policy_announces() const noexcept;
  /// Whether tasks stay in the domain to which they are bound. False if the policy that has bound them was stopped.
  bool keeps_tiers() const noexcept;
  /// Whether the owner at `here` publishes what it has pushed.
  bool publishes(worker& here) const noexcept {
    return any_idle() || std::exchange(here.thief_expected, false);
  }
  /// For an owner that is about to publish at `queue`, which this counts: whether it then pushes privately until the next
  /// request. False where no thread can take its private records by force. Also false while there are regions, because the
  /// searcher may be a worker that must not take the records.
  bool answers_once(worker& here, const queue_of<host_platform>& queue) const noexcept {
    if (!host_platform::tuning_fits()) return false;  // each virtual thread has a CPU
    if (!host_platform::heavy_fence_works() || regions.load(std::memory_order_relaxed) != 0) return false;
    if (options.shares_cpus) return true;
    return (&queue == &here.tasks ? here.unanswered_tasks : here.unanswered_joins)
        .again(&queue, oldest_public(queue));
  }
  std::size_t stacks_in_use() const noexcept { return stacks_in_use_.load(std::memory_order_relaxed); }
  void count_stack(std::ptrdiff_t change) noexcept {
    stacks_in_use_.fetch_add(static_cast<std::size_t>(change), std::memory_order_relaxed);
  }

  /// Starts or restarts the recording of times.
  void start_clock();
  struct kept_times {
    double seconds = 0;
    std::vector<worker_times> workers;
  };
  /// The times of all workers; empty unless times are recorded.
  kept_times times() const;
  /// The record of the run so far. Only with keep_report.
  observe::run_record record() const;
  /// The events of the run as one process of a trace. Only with keep_trace.
  std::string trace(int process) const;

 private:
  struct clock_reading {
    std::uint64_t ticks;
    std::int64_t ns;
  };
  static clock_reading read_both_clocks();
  clock_reading read_clock() const;
  static double ns_a_tick(const clock_reading& began, const clock_reading& now) noexcept;
  fast_path_costs fast_paths() const;
  clock_reading began() const;
  std::mutex start_guard_;
  mutable std::mutex clock_guard_;
  clock_reading began_{0, 0};        // begin of the times, or their last reset
  clock_reading trace_began_{0, 0};  // with the scheduler
  std::unique_ptr<worker> make_worker(worker_id id);
  void prepare_announcements(worker& p);
  stack* make_stack() noexcept;
  stack* take_free_stack() noexcept;
  void bind_thread(const worker& mine, bool inherits_binding) const noexcept;
  void thread_main(worker& mine, bool inherits_binding);
  void start_threads();
  template <class Main>
  void start_thread(Main main);
  void stop_threads() noexcept;
  void end_threads() noexcept;

  fork_safe_lock memory_mutex_;
  std::vector<std::unique_ptr<stack>> all_stacks_;
  stack* free_external_stacks_ = nullptr;
  stack* free_stacks_ = nullptr;  // what workers have left over
  record_memory task_memory_;
  free_batches task_batches_;
  std::atomic<std::size_t> stacks_in_use_{0};
  std::atomic<bool> complained_{false};
  std::atomic<bool> said_nothing_is_stolen_{false};
  std::size_t threads_started_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;  // the real ones
  std::vector<std::unique_ptr<worker>> workers_of_child_;

 public:
  std::unique_ptr<recorder> recorded;           // null without keep_report
  std::unique_ptr<tracer> tracing;              // null without keep_trace
  std::unique_ptr<work_span_totals> work_span;  // null without keep_report
  std::unique_ptr<call_rows> rows;      // null if external threads keep no workers, or no times are kept
  scheduler_core* const stands_in_for;  // null: for none
  stand_ins standing_in{*this};
};

// The functions below are used across the core's files.

/// The stack that runs here. Not inlined, so that no compiler keeps a thread's address over a switch.
stack* current_stack() noexcept;
void set_current(stack* s) noexcept;

/// The calling thread holds the worker, with this stack: from now on thieves look at its queue.
void is_here(stack& s, worker& here) noexcept;
/// Attaches a stack to a worker, as above.
void attach(stack& s, worker& here) noexcept;
/// Publishes everything that is private on this worker, so that nothing is hidden while the stack is away.
void publish_here(stack& s) noexcept;
/// In debug builds: asserts that only its owner uses a queue, if the policy never takes by force.
inline void check_touch([[maybe_unused]] const worker& of) noexcept {
  assert(!of.pool->managed || of.pool->managed->may_touch(of));
}
/// Moves the counts of the fast paths into the worker's counters.
void fold_counters(stack& s) noexcept;

/// Opens the fast path of joins, except in a region with levels.
void rearm_joins(stack& s) noexcept;
/// In a region with levels: lowers the limit of joins, so that each fork goes to slow_fork.
void lower_above_boundary(stack& s) noexcept;
/// This worker's domain, as a record names the domain that it is bound to (stolen_side::bound).
inline std::uint16_t bound_to_domain_of(const worker& here) noexcept {
  return static_cast<std::uint16_t>(here.pool->placed[here.id].domain + 1);
}
/// A task begins on this stack, or continues: its limits are low while a worker is idle.
void begin_task(stack& s) noexcept;
/// The stack is in the worker loop again.
void end_task(stack& s) noexcept;

// waiting.hpp
/// Whether a thread that waits outside may run some tasks on a worker and continue to wait without it. A report must see where a
/// wait ends.
inline bool waits_in_parts(const scheduler_core& pool) noexcept { return !pool.simulated && !pool.work_span; }

// child_of_fork.cpp
/// Whether this stack continues in a child of fork() without the other threads of its scheduler. It then waits in place, runs
/// only what lies in its own queues, and may come back from a wait although the event has not happened.
inline bool is_alone(const task_context& s) noexcept { return s.worker->pool->inherited; }
/// What a wait throws for a task that a thread of the parent had taken.
std::exception_ptr lost_in_parent();
/// A worker's own thread has come to the end of a task. In a child of fork() that is the end of the process.
void end_if_alone(const stack& self) noexcept;
/// An external thread comes back from a blocking call in which it called fork().
void sit_alone(stack& self);

// locks/sync.cpp
/// The calls of skua::blocking in which the calling thread is, the innermost first.
struct blocking_caller {
  stack& from;
  /// An external thread that has left its worker for the call: current_stack() does not lead to `from`.
  bool left_worker;
  const blocking_caller* outer;
};
extern constinit thread_local const blocking_caller* blocking_caller_here;

// queue/tiers.cpp
/// Waits until this stack's domain runs no inter-domain task, then takes the domain's token.
void take_token(stack& self);
void give_up_token(stack& self) noexcept;
void release_token(scheduler_core& pool, domain_pool& held) noexcept;
/// A worker of the domain has found no work. Makes sure that no token is held without need.
void unblock_domain(scheduler_core& pool, domain_id domain) noexcept;
/// fork_levels in a region whose shape is being learnt (learning/learning.cpp).
detail::forked fork_and_learn(stack& self, detail::fork_code first, void* first_frame,
                              detail::fork_code second, void* second_frame, unsigned siblings,
                              const void* from);
/// Counts a region with a boundary for its duration.
class count_regions {
 public:
  explicit count_regions(scheduler_core& pool) noexcept : pool_(pool) {
    pool_.regions.fetch_add(1, std::memory_order_relaxed);
  }
  ~count_regions() { pool_.regions.fetch_sub(1, std::memory_order_relaxed); }
  count_regions(const count_regions&) = delete;
  count_regions& operator=(const count_regions&) = delete;

 private:
  scheduler_core& pool_;
};

// external_thread.cpp
/// The worker that this thread held last: its queues and free records are likely still in this CPU's cache.
extern constinit thread_local int last_worker;
/// The worker of the CPU on which the calling thread runs; -1: none.
int worker_of_this_cpu(const scheduler_core& pool) noexcept;
/// An external thread that has left its worker attaches again, possibly to another worker.
/// `event`: the one that it has waited for; it is told (held_up()) when no worker is free.
void take_worker_again(stack& self, scheduler_core& pool, int preferred, awaited_event* event = nullptr);
/// Takes a free worker, and waits while there is none, in the order in which threads come.
worker& take_worker(scheduler_core& pool);
/// The same. Null if a stand-in is needed.
worker* take_worker_unless_blocked(scheduler_core& pool);
/// For an external thread in the middle of its call: a free worker, of domain `bound - 1` unless `bound` is 0.
/// `event` as in take_worker_again.
worker& take_worker_to_come_back(scheduler_core& pool, int preferred, std::uint32_t bound,
                                 awaited_event* event);
/// Whether the stack belongs to this scheduler or to one that stands in for it.
inline bool is_of(const stack& s, const scheduler_core& pool) noexcept {
  return s.pool && (s.pool == &pool || s.pool->stands_in_for == &pool);
}
/// Releases the worker and makes sure that another worker does the remaining work.
/// `for_good`: the stack is not needed any more, and may serve the next external thread.
void leave_worker(stack& self, bool for_good) noexcept;
/// `from` as in detail::call_outside.
void run_as_worker(scheduler_core& pool, void (*code)(void*, task_context&), void* data,
                   const void* from = nullptr);
/// The same for a thread that holds no worker of any scheduler, if a worker is free now. Real threads only.
bool run_as_free_worker(scheduler_core& pool, void (*code)(void*, task_context&), void* data);
/// For a thread without a worker that waits by `w`: runs code(data, task_context) on a worker that comes free meanwhile. False if
/// none has for long, or the waiter has been woken, or there is no memory.
bool run_unless_woken(scheduler_core& pool, waiter& w, void (*code)(void*, task_context&),
                      void* data) noexcept;
/// For an external thread that is in no call and adds a task: a stack at a worker that it may use at once, or null. It
/// takes a worker only if it calls often.
stack* enter_to_add(scheduler_core& pool) noexcept;
void leave_after_adding(stack& self) noexcept;
/// For an external thread that waits for a group: if no worker will be free for the group's tasks, a stand-in runs them.
void help_group_elsewhere(scheduler_core& pool, detail::group_base& group, std::int64_t waited_ns) noexcept;

// worker_loop.cpp
[[noreturn]] void worker_loop();
/// A worker's own thread lends its worker to an external thread, and waits until it is free again.
void make_room_for_external_thread(stack& self) noexcept;

// group/group_tasks.cpp
/// Runs a group task, or another task from a pool, to its end on this stack.
void run_task(detail::task& t, task_context& w);
/// The same at the bottom of a worker's stack. Continues with the newest tasks while they belong to the same group, and
/// counts all of them as ended at once: until then the group cannot end, so private tasks that they run in it need no
/// count.
void run_task_and_kin(detail::task& t, stack& self);
/// Counts the tasks that a task leaves behind at its end, by publishing them.
void count_leftovers(stack& self) noexcept;
/// Runs one task in the scope of its group, and gives its record back. True when it was counted, so that its end must be reported.
bool run_in_scope(detail::task& t, task_context& w, detail::group_base& group);
/// So many tasks have ended that were counted.
void report_ends(detail::group_base& group, std::uint64_t tasks, stack& self) noexcept;
/// run_task as the code of a slot.
void execute_task(void* frame, task_context& w);
/// A group task as a thief gets it.
inline stolen stolen_task(detail::task* t) noexcept {
  return stolen(reinterpret_cast<void*>(&execute_task), t, nullptr);
}
/// Takes the task of this worker's pool that is next in the scheduler's own order.
detail::task* take_own_task(worker& here);
/// The same among the tasks that `only` allows.
detail::task* take_own_task(worker& here, const restriction& only);
/// Called when thieves have taken all tasks of this worker's pool.
void forget_stolen_tasks(worker& here) noexcept;
/// Pushes a task that was counted as pushed where it was made. Does not check whether the queue is full.
inline void push_uncounted(worker& here, detail::task& t) noexcept {
  here.tasks.push_task(here.tasks.own_top(), t);
  --here.tasks.pushes;
}
/// The worker's queue of group tasks is full: moves most of them to its backlog. False when there is no memory.
bool make_room_for_tasks(worker& here) noexcept;
/// The worker's queue of group tasks is empty: takes some back from its backlog. False when that is empty.
bool take_tasks_back(worker& here) noexcept;
/// Takes the tasks of an external thread, or those of the calling one, into the queue of this stack's worker (queue/inbox.hpp).
/// False when there are none. `of`: the worker's scheduler, or the one for which it stands in.
enum class from_box { any, own };
bool take_from_inbox(stack& self, scheduler_core& of, from_box which = from_box::any);
/// Takes the newest task of this worker's pool if `accept(task)`.
template <class Accept>
detail::task* pop_task(worker& here, Accept accept) {
  detail::task_pool& pool = here.tasks;
  detail::slot* const top = pool.own_top();
  if (top == pool.first_slot) return nullptr;
  detail::slot* const s = top - 1;
  auto* t = static_cast<detail::task*>(pool.own_frame(s));
  if (!accept(*t)) return nullptr;
  if (pool.pop(s) || reclaim<host_platform>(pool, s, here.pool->stays_public(stay_public::none))) return t;
  forget_stolen_tasks(here);
  return nullptr;
}

}  // namespace skua::core
