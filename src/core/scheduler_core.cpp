#include "core/scheduler_core.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "base/made_once.hpp"
#include "base/random.hpp"
#include "core/choosing/episode.hpp"
#include "core/external/kept_worker.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/locks/spin_pause.hpp"
#include "core/platform/resource_limits.hpp"
#include "core/platform/thread_binding.hpp"
#include "core/record/call_row.hpp"
#include "core/record/record.hpp"
#include "core/start/fewer_workers.hpp"
#include "core/work_span/work_span.hpp"
#include "policies/arguments.hpp"
#include "topology/affinity.hpp"

namespace skua::core {

namespace {

void warn_once(std::atomic<bool>& warned, const char* sentence) noexcept {
  if (!warned.exchange(true, std::memory_order_relaxed)) std::fprintf(stderr, "skua: %s\n", sentence);
}

void warn_unbound() noexcept {
  static std::atomic<bool> warned{false};
  warn_once(
      warned,
      "the kernel refuses to bind threads to CPUs; it chooses where they run (SKUA_BIND=0 does the same)");
}

void warn_of_slow_forks() noexcept {
  static std::atomic<bool> warned{false};
  warn_once(warned,
            "the kernel refuses membarrier(2), so a fork takes about 18 times as long (about 12 times with "
            "SKUA_POLICY=chase_lev)");
}

void warn_of_doubt_about_cpus() noexcept {
  static std::atomic<bool> warned{false};
  const std::string& doubt = detail::doubt_about_cpus();
  if (!doubt.empty()) warn_once(warned, doubt.c_str());
}

std::uint64_t next_serial() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool deals_now(const steal_policy& policy, const settings& options) {
  if (policy.managed()) return false;
  switch (policy.deals()) {
    case dealing::never:
      return false;
    case dealing::large:
      return options.workers >= fewest_workers_to_deal && !options.shares_cpus;
    case dealing::always:
      return options.workers > 1;
  }
  return false;
}

std::shared_ptr<simulated_machine> machine_for(const settings& options) {
  if (!options.simulate) return nullptr;
  const auto make = [&] { return make_simulated_machine(*options.simulate, options.seed); };
  // The other values of the environment have been checked.
  const bool replays = options.says_what_was_simulated && !options.simulate->replay.empty();
  return replays ? base::of_variable("SKUA_SIMULATE_REPLAY", make) : make();
}

}  // namespace

scheduler_core::scheduler_core(settings chosen, scheduler_core* for_whom)
    : options(std::move(chosen)),
      simulated(machine_for(options)),
      serial(next_serial()),
      lets_keep(!for_whom),
      callers(simulated ? std::make_unique<virtual_callers>() : nullptr),
      claim(options.machine, options.workers, options.pins, options.bind),
      placed(claim.placed()),
      domains(placed.domains()),
      idle(options.workers),
      task_batches_(options.workers),
      stands_in_for(for_whom) {
  if (options.says_what_was_simulated) report_at_exit(*options.simulate, simulated);
  for (domain_id d = 0; d < placed.domains(); ++d) occupied_domains += !placed.domain_workers(d).empty();
  host_platform::heavy_fence_works();
  install_overflow_handler();
  if (!simulated) prepare_binding();
  if (!simulated && options.machine.is_host()) warn_of_doubt_about_cpus();
  for (std::size_t i = 0; i < options.workers; ++i) {
    all_workers.push_back(make_worker(static_cast<worker_id>(i)));
    prepare_announcements(*all_workers.back());
  }
  joins = all_workers.front()->policy->queue();
  if (joins == queue_kind::split && !host_platform::heavy_fence_works()) warn_of_slow_forks();
  may_deal = joins == queue_kind::split && deals_now(*all_workers.front()->policy, options);
  if (may_deal) idle.use_groups(workers());
  choices = make_chooser(*all_workers.front()->policy, options, occupied_domains, may_deal);
  if (options.keep_report) work_span = std::make_unique<work_span_totals>(simulated != nullptr);
  for (auto& p : all_workers) p->tasks.watched = work_span && !simulated;
  if (const auto how = all_workers.front()->policy->managed())
    managed = std::make_unique<management>(*this, checked(*how));
  for (auto& p : all_workers) {
    if (!(p->free_stacks = make_stack())) throw std::bad_alloc();
    p->free_stacks_count = 1;
    p->policy->on_start(*p->view);
  }
  if (lets_keep && !simulated && options.keep_times) rows = std::make_unique<call_rows>();
  if (options.keep_report) {
    recorded = std::make_unique<recorder>(options.workers, !simulated);
    for (auto& p : all_workers) p->observer.log = &recorded->log(p->id);
  }
  if (options.keep_trace) {
    tracing = std::make_unique<tracer>(options.workers, options.trace_events);
    for (auto& p : all_workers) p->observer.events = &tracing->log(p->id);
  }
  if (options.keep_times) {
    // Now, before the workers run. The scheduler that measures is one of these, too.
    if (!simulated && !unreported::here()) measured_fast_paths(options.keep_report);
    start_clock();
    trace_began_ = began_;
  }
  try {
    start_threads();
    if (reported_at_exit(options)) report_at_exit(*this);
  } catch (...) {
    stop_threads();
    throw;
  }
}

std::unique_ptr<worker> scheduler_core::make_worker(worker_id id) {
  auto p = std::make_unique<worker>();
  p->pool = this;
  p->id = id;
  initialise<host_platform>(p->tasks, p->slots.get(), task_capacity);
  for (std::uint16_t k = 0; k <= task_capacity; ++k)
    p->slots[k].run.store(reinterpret_cast<void*>(&execute_task), std::memory_order_relaxed);
  p->tasks.owner = p.get();
  p->backlog.take_by(options.own_order);
  p->observer.counters.start(placed.levels());
  p->random_state = base::generator_state(options.seed, id);
  if (!simulated && !sanitizer_is_here()) p->overflow_stack = std::make_unique<signal_stack>();
  p->policy = options.policy.parsed->make();
  p->view = std::make_unique<worker_thief>(*p);
  return p;
}

worker& scheduler_core::make_worker_of_child(worker_id like) {
  workers_of_child_.push_back(make_worker(like));
  return *workers_of_child_.back();
}

void scheduler_core::start_threads() {
  const bool inherits_binding = !simulated && starts_bound_threads();
  // Keeps the last memory for the tasks: for their stacks, and for what they allocate.
  std::optional<room_for_thread_stack> for_tasks;
  if (!simulated && workers() > 1 && !for_tasks.emplace()) throw thread_refused(0, limit_of_memory());
  for (auto& p : all_workers) {
    auto main = [this, &mine = *p, inherits_binding] { thread_main(mine, inherits_binding); };
    if (simulated)
      simulated->start_thread(placed[p->id].cpu, main);
    else
      start_thread(main);
    ++threads_started_;
  }
}

void scheduler_core::prepare_announcements(worker& p) {
  if (!p.policy->announce_at({})) return;
  if (occupied_domains < 2 && !p.policy->candidates().empty()) return;  // only the first one is used
  const auto real_costs = [] {
    static const queue_rates measured = measure_queue_costs();
    return measured;
  };
  const queue_rates costs = simulated ? virtual_queue_costs() : real_costs();
  if (!announced) announced = std::make_unique<announcements>(placed);
  p.announcing = announced->announcer_of(p.id);
  p.announcing.rates = costs;
  p.announcing.at = *p.policy->announce_at(costs);
}

scheduler_core::~scheduler_core() {
  stop();
  for (spin_pause<host_platform> pause; foreign_wakers.load(std::memory_order_acquire) != 0;) pause();
}

void scheduler_core::stop() noexcept {
  if (std::exchange(stopped_, true)) return;
  if (reported_at_exit(options)) report_before_end(*this);
  standing_in.end();
  stop_threads();
}

void scheduler_core::stop_threads() noexcept {
  if (!simulated) {
    end_threads();
    for (std::thread& t : threads_) t.join();
    return;
  }
  try {
    simulated->enter([this] { end_threads(); });
  } catch (const std::exception&) {  // no thread can continue; the caller that entered got the error
  }
}

void scheduler_core::end_threads() noexcept {
  stopping.store(true, std::memory_order_release);
  for (const auto& one : all_workers)
    take_back(*one);  // or its own thread would see only after some looks that it is unused
  // A thread ends when no stack is suspended on its worker any more; one that sleeps is woken until it has ended.
  for (std::size_t i = 0; i < threads_started_; ++i) {
    std::atomic<std::uint32_t> none{0};
    wake_until_ended(*this, i, [&] { host_platform::park(none, 0, 100); });
  }
}

template <class Main>
void scheduler_core::start_thread(Main main) {
  std::string limit;
  try {
    threads_.emplace_back(main);
  } catch (const std::system_error&) {  // no memory for its stack, or no more threads
    limit = limit_of_threads();
  } catch (const std::bad_alloc&) {
    limit = limit_of_memory();
  }
  if (!limit.empty()) throw thread_refused(threads_started_, limit);
}

// On the worker's own thread.
void scheduler_core::bind_thread(const worker& mine, bool inherits_binding) const noexcept {
  if (options.bind == binding::none) {
    if (inherits_binding)
      release_this_thread();  // not bound to the CPUs of the thread that made this scheduler
    return;
  }
  const bool done = bind_worker_thread(cpus_of(options.bind, options.machine, placed[mine.id]));
  if (!done && options.bind != binding::process) warn_unbound();
}

// Allocates nothing, since a thread cannot report that there is no memory.
void scheduler_core::thread_main(worker& mine, bool inherits_binding) {
  if (!simulated) bind_thread(mine, inherits_binding);
  if (mine.overflow_stack) mine.overflow_stack->turn_on();
  if (recorded && !simulated) recorded->own_thread(mine.id);
  adopt_thread(mine.thread);
  attach_uncounted<host_platform>(*this, mine);
  stack* const first = take_stack(mine);  // made by the constructor
  attach(*first, mine);
  switch_context(mine.thread, first->execution);
  set_current(nullptr);
  mine.ended.store(true, std::memory_order_release);
}

namespace {

/// In an exception handler: the text of what was thrown.
const char* text_of_exception() noexcept {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return thrown.what();  // the handler around this call keeps it
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

bool scheduler_core::chosen_policy_deals() const noexcept { return !choices || choices->deals(); }
bool scheduler_core::chosen_policy_announces() const noexcept { return !choices || choices->announces(); }
bool scheduler_core::keeps_tiers() const noexcept { return !choices || !choices->has_stopped_rival(); }

void scheduler_core::replace_policy(worker& here) noexcept {
  if (!complained_.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr,
                 "skua: policy '%s' threw on worker %u: %s; workers on which it throws use nearest instead\n",
                 options.policy.text.c_str(), here.id, text_of_exception());
  try {
    auto next = make_policy("nearest");
    next->on_start(*here.view);
    here.policy = std::move(next);
  } catch (const std::bad_alloc&) {  // then the same policy is asked again
  }
}

void scheduler_core::say_if_nothing_is_stolen(unsigned naps) noexcept {
  constexpr unsigned enough =
      4;  // a millisecond or two; any other policy finds what there is within that time
  if (naps != enough || options.policy.parsed->make_builtin) return;
  std::uint64_t attempts = 0;
  for (const auto& p : all_workers) {
    attempts += p->observer.counters.attempts.read();
    if (p->observer.counters.steals.read() != 0) return;
  }
  if (said_nothing_is_stolen_.exchange(true, std::memory_order_relaxed)) return;
  std::fprintf(
      stderr,
      "skua: policy '%s' has stolen nothing in %llu attempts although there is work; tasks run on the "
      "worker that created them\n",
      options.policy.text.c_str(), static_cast<unsigned long long>(attempts));
}

void scheduler_core::published(worker& from) noexcept {
  if (!wake_for_publication<host_platform>(*this, from) && regions.load(std::memory_order_relaxed) != 0) {
    // The searchers may be in another domain, and what was published may be bound to this one.
    for (const worker_id w : placed.domain_workers(placed[from.id].domain))
      if (idle.is_asleep(w) && idle.wake(w)) return;
  }
}

void scheduler_core::show_moved(worker& to) noexcept {
  core::show_moved<host_platform>(*this, to,
                                  [&] { publish_all<host_platform>(to.tasks, task_records{to.tasks}); });
}

bool scheduler_core::wake_nearest(worker& from, sleeper_kind kind) noexcept {
  const auto woken = [&](worker_id w) {
    // relaxed: a thread that wakes a worker without need, or misses one, looks again at its next nap.
    if (kind == sleeper_kind::without_timer && at(w).naps.load(std::memory_order_relaxed)) return false;
    return idle.is_asleep(w) && idle.wake(w);
  };
  for (std::size_t level = 0; level < placed.levels(); ++level)
    if (std::ranges::any_of(placed.at_distance(from.id, level), woken)) return true;
  return woken(from.id);
}

bool scheduler_core::any_work() const noexcept {
  for (const auto& p : all_workers) {
    const stack* s = p->current.load(std::memory_order_acquire);
    if (s && load_of_joins(*s) != 0) return true;
    if (load_of_tasks(*p) != 0 || p->listed.load() != 0) return true;
  }
  if (any_arrived_now() || (managed && managed->any_letters())) return true;
  return std::ranges::any_of(domains, [](const domain_pool& d) { return d.any() || d.waited_for(); });
}

void scheduler_core::request_pushes(worker& of) noexcept {
  if (stack* s = of.current.load(std::memory_order_acquire)) request<host_platform>(*s);
  request<host_platform>(of.tasks);
}

}  // namespace skua::core
