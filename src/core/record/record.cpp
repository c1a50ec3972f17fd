// The record of a run, from what a scheduler has kept.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include "base/number_text.hpp"
#include "base/process.hpp"
#include "core/platform/symbols.hpp"
#include "core/record/call_row.hpp"
#include "core/record/call_site_names.hpp"
#include "core/record/record.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"
#include "topology/affinity.hpp"
#include "topology/cgroup.hpp"

namespace skua::core {

namespace {

observe::machine_record machine_of(const scheduler_core& pool) {
  const topology& machine = pool.options.machine;
  observe::machine_record r{.source = std::string(machine.source()),
                            .simulated = pool.simulated != nullptr,
                            .domain_kind = std::string(machine.domain_kind()),
                            .packages = machine.packages(),
                            .domains = machine.domains(),
                            .cores = machine.cores(),
                            .pus = machine.pus(),
                            .tree = machine.draw(pool.placed)};
  if (!pool.simulated) {
    r.usable_cpus = detail::cpus_at_start().size();
    // Not the topology's quota: the program may have given the topology.
    if (const double quota = detail::cpu_quota(); std::isfinite(quota)) r.cpu_quota = quota;
  }
  if (pool.simulated) r.level = detail_level_names[static_cast<std::size_t>(pool.options.simulate->level)];
  for (std::size_t level = 0; level < pool.placed.levels(); ++level)
    r.distance_names.push_back(pool.placed.level_name(level));
  return r;
}

void add_pairs(observe::run_record& to, const recorder& kept, const placement& placed) {
  const auto workers = static_cast<worker_id>(kept.workers());
  for (worker_id thief = 0; thief < workers; ++thief)
    for (worker_id victim = 0; victim < workers; ++victim) {
      const observe::pair_counts& with = kept.log(thief).with(victim);
      observe::pair_record pair{.thief = thief,
                                .victim = victim,
                                .steals = with.steals.read(),
                                .misses = with.misses.read(),
                                .looks = with.looks.read(),
                                .bytes = with.bytes.read()};
      if (thief != victim) pair.distance = static_cast<std::uint32_t>(placed.distance(thief, victim));
      to.bytes_stolen += pair.bytes;
      if (pair.steals + pair.misses + pair.looks + pair.bytes != 0) to.pairs.push_back(pair);
    }
}

void add_distributions(observe::run_record& to, const recorder& kept, std::size_t workers, double ns_a_tick) {
  for (worker_id w = 0; w < workers; ++w) {
    const observe::worker_log& log = kept.log(w);
    to.steal_latency += log.steal_latency.read(ns_a_tick);
    to.steal_duration += log.steal_duration.read(ns_a_tick);
    to.search_time += log.search_time.read(ns_a_tick);
    to.task_size += log.task_size.read(ns_a_tick);
    to.bytes_declared += log.declared.read();
  }
}

std::uint64_t scaled(std::uint64_t ticks, double ns_a_tick) {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * ns_a_tick);
}

void add(observe::lock_record& to, const observe::lock_record& more) {
  to.times += more.times;
  to.in_line += more.in_line;
  to.spun_ns += more.spun_ns;
  to.waited_ns += more.waited_ns;
}

/// The whole contains the part, except for what was added between the two readings.
void take_off(observe::lock_record& whole, const observe::lock_record& part) {
  whole.times -= std::min(whole.times, part.times);
  whole.in_line -= std::min(whole.in_line, part.in_line);
  whole.spun_ns -= std::min(whole.spun_ns, part.spun_ns);
  whole.waited_ns -= std::min(whole.waited_ns, part.waited_ns);
}

/// The first of the calls from inside to outside that is neither in skua's headers nor in those of the standard library.
/// The innermost one if all are.
std::uint64_t call_of_program(symbols& known, const observe::lock_log::place& calls) {
  for (const std::uint64_t address : calls)
    if (address != 0 && !is_of_libraries(call_site_name(known, address))) return address;
  return calls[0];
}

std::vector<observe::lock_record> locks_of(const recorder& kept, double ns_a_tick) {
  using place = observe::lock_log::place;
  std::map<std::uint64_t, observe::lock_record> by_call;
  std::map<place, observe::lock_record> by_callers;
  const auto sums = [&](const observe::lock_log::entry& e) {
    return observe::lock_record{.times = e.times.read(),
                                .in_line = e.in_line.read(),
                                .spun_ns = scaled(e.spun.read(), ns_a_tick),
                                .waited_ns = scaled(e.waited.read(), ns_a_tick)};
  };
  for (worker_id w = 0; w < kept.workers(); ++w) {
    kept.log(w).locks.each(
        [&](const observe::lock_log::entry& e) { add(by_call[e.known_place()[0]], sums(e)); });
    kept.log(w).locks.each_with_callers(
        [&](const observe::lock_log::entry& e) { add(by_callers[e.known_place()], sums(e)); });
  }
  std::vector<observe::lock_record> all;
  if (by_call.empty()) return all;
  symbols known;
  for (const auto& [calls, lock] : by_callers) {
    const std::uint64_t address = call_of_program(known, calls);
    if (address == calls[0]) continue;
    take_off(by_call[calls[0]], lock);
    add(by_call[address], lock);
  }
  for (auto& [address, lock] : by_call) {
    if (lock.times == 0) continue;
    lock.name = address == 0 ? "other places" : call_site_name(known, address);
    if (address != 0) {
      lock.address = known.location_at(address);
      lock.file = known.file_at(address);
    }
    all.push_back(std::move(lock));
  }
  std::ranges::sort(all, std::greater{},
                    [](const observe::lock_record& one) { return one.spun_ns + one.waited_ns; });
  return all;
}

// If the timeline is to begin anew: only what its worker has done since then.
observe::timeline_log::reading timeline_of(const worker& p, std::uint64_t now) {
  if (!p.observer.watch.is_to_begin())
    return p.observer.log->timeline.read(p.observer.watch.does(), p.observer.watch.since(), now);
  const auto anew = std::make_unique<observe::timeline_log>();
  anew->clear(p.observer.watch.begin_at());
  return anew->read(p.observer.watch.does(), p.observer.watch.since(), now);
}

// All workers' intervals get the length of the longest.
observe::timeline_record timeline_of(std::vector<observe::timeline_log::reading> all, double ns_a_tick) {
  unsigned length = 0;
  for (const auto& one : all) length = std::max(length, one.length);
  observe::timeline_record to{.interval_ns = scaled(std::uint64_t{1} << length, ns_a_tick)};
  for (auto& one : all) {
    one.widen(length);
    auto& intervals = to.workers.emplace_back();
    for (const auto& sums : one.intervals)
      std::ranges::transform(sums, intervals.emplace_back().ns.begin(),
                             [&](std::uint64_t ticks) { return scaled(ticks, ns_a_tick); });
  }
  return to;
}

// A thread that is neither on a CPU nor waiting for one, while a task or the scheduler had it, is blocked in the kernel.
observe::kernel_record kernel_of(const thread_counts& counts, const worker_times& times) {
  const std::uint64_t awake = times.sum() - times.of(activity::asleep),
                      ran = counts.on_cpu_ns + counts.waiting_ns;
  // The own thread of a worker that an external thread keeps wakes now and then and waits for a CPU, which costs the worker
  // nothing.
  const std::uint64_t without_cpu = times.sum() - std::min(times.sum(), counts.on_cpu_ns);
  return {.on_cpu_ns = counts.on_cpu_ns,
          .waiting_ns = std::min(counts.waiting_ns, without_cpu),
          .blocked_ns = awake > ran ? awake - ran : 0,
          .preemptions = counts.preemptions};
}

template <class T, class... Members>
void take_off(std::vector<T>& from, const sequence<T>& before, Members... members) {
  for (std::size_t i = 0; i < std::min(from.size(), before.size()); ++i)
    ((from[i].*members -= before[i].*members), ...);
}

// What the machine has done since the clock was started.
observe::simulated_record simulated_since(const simulation_report& before, const simulation_report& now) {
  observe::simulated_record r{.cycles = now.cycles - before.cycles,
                              .times = now.times,
                              .caches = now.caches,
                              .nodes = now.nodes,
                              .transfers = now.transfers,
                              .memory_bytes_a_cycle = 0,
                              .pages_dealt_out = false};
  for (const named_time& one : simulated_time_names) r.times.*one.cycles -= before.times.*one.cycles;
  using cache = simulated_cache;
  take_off(r.caches, before.caches, &cache::hits, &cache::demand_misses, &cache::prefetches,
           &cache::evictions, &cache::write_backs);
  using node = simulated_node;
  take_off(r.nodes, before.nodes, &node::bytes_read, &node::bytes_written, &node::waiting_cycles,
           &node::bytes_read_remotely);
  for (simulated_transfers& one : r.transfers)
    for (const simulated_transfers& earlier : before.transfers)
      if (one.distance == earlier.distance) {
        one.words -= earlier.words;
        one.data -= earlier.data;
      }
  return r;
}

std::vector<observe::hardware_record> hardware_of(const recorder& kept, std::size_t workers) {
  std::vector<observe::hardware_record> all;
  for (const std::string& name : kept.hardware().events) {
    observe::hardware_record& event = all.emplace_back(observe::hardware_record{.event = name});
    for (worker_id w = 0; w < workers; ++w)
      event.workers.push_back({.of = kept.log(w).hardware.of(all.size() - 1)});
  }
  return all;
}

// The processor has few counters; events that do not fit take turns.
void note_turns_of_counters(observe::run_record& to, const recorder& kept, std::size_t workers) {
  std::uint64_t wanted = 0, had = 0;
  for (worker_id w = 0; w < workers; ++w) {
    wanted += kept.log(w).hardware.wanted_ns();
    had += kept.log(w).hardware.had_ns();
  }
  if (had >= wanted - wanted / 100) return;
  to.counters_took_turns = true;
  to.notes.push_back("hardware counters: the processor has too few, so they took turns and counted " +
                     std::to_string(100 * had / wanted) +
                     "% of the time; the report shows the counts of that time");
}

void note_threads_that_are_not_counted(observe::run_record& to, const recorder& kept, std::size_t workers) {
  std::uint64_t lacking = 0;
  for (worker_id w = 0; w < workers; ++w) lacking += kept.log(w).hardware.lacking();
  if (lacking == 0) return;
  to.notes.push_back("hardware counters: " + base::counted(lacking, "reading") +
                     " failed, because the counters of all threads may take a quarter of the files that this "
                     "process may open (ulimit -n), and a thread that ends has none");
}

std::string readings_note(double ns_apart) {
  char text[200];
  std::snprintf(text, sizeof text,
                "hardware counters: a reading costs time, so they are read at most every %.0f us, and the "
                "counts between two readings are divided among the activities by their time",
                std::ceil(ns_apart / 1000));
  return text;
}

void add_hardware(observe::run_record& to, const recorder& kept, std::size_t workers, double scale) {
  to.hardware = hardware_of(kept, workers);
  if (!kept.hardware().missing.empty()) to.notes.push_back(kept.hardware().missing);
  if (to.hardware.empty()) return;
  to.notes.push_back(readings_note(static_cast<double>(kept.hardware().ticks_apart) * scale));
  note_turns_of_counters(to, kept, workers);
  note_threads_that_are_not_counted(to, kept, workers);
}

// On a simulated machine they are timed.
constexpr const char* forks_are_timed =
    "forks, joins and group tasks: their fast paths, and tasks' accesses to shared words of the "
    "scheduler, count as spawning";

/// Calls of external threads that kept their workers.
std::uint64_t kept_calls(const std::vector<std::unique_ptr<worker>>& workers) noexcept {
  std::uint64_t all = 0;
  for (const auto& one : workers) all += one->observer.kept_calls.read();
  return all;
}

/// Recording a call takes about ten nanoseconds, or more where the clock is slow.
bool is_worth_a_note(std::uint64_t calls, double inside_seconds) noexcept {
  constexpr std::uint64_t many = 1000;
  constexpr double short_call_s = 1e-6;
  return calls >= many && inside_seconds < short_call_s * static_cast<double>(calls);
}

std::string short_calls_note(std::uint64_t calls, double inside_seconds) {
  char text[200];
  std::snprintf(text, sizeof text,
                "%llu calls from outside of tasks took %.0f ns each on average; recording them takes 10 ns "
                "and more each, so without a report they are faster",
                static_cast<unsigned long long>(calls), 1e9 * inside_seconds / static_cast<double>(calls));
  return text;
}

std::string calibration_note(const fast_path_costs& costs) {
  char text[200];
  std::snprintf(
      text, sizeof text,
      "forks, group tasks that no other worker took, and quick calls of external threads are counted, not "
      "timed: %.1f, %.1f and %.1f ns each, moved from user time to spawning",
      costs.fork_ns, costs.group_task_ns, costs.call_ns);
  return text;
}

std::string placement_note(binding bound) {
  return std::string("the CPU of a worker is its nominal one; its thread may run on every CPU of ") +
         (bound == binding::domain ? "its domain" : "the process") + " (SKUA_BIND=1 binds it)";
}

std::string work_span_note(const observe::work_span_record& work_span) {
  return "work and span: forks that were expected to hold less than " +
         std::to_string(work_span.grain_ns / 1000) +
         " us were treated as serial, so the span is at least that long; timing each of them would cost "
         "more than the fork";
}

}  // namespace

observe::run_record scheduler_core::record() const {
  end_rows(*this);
  const clock_reading now = read_clock();
  const clock_reading began = this->began();
  const auto passed_ns = static_cast<double>(now.ns - began.ns);
  const double scale = ns_a_tick(began, now);
  const kept_times kept = times();
  observe::run_record r{.program = base::command_line(),
                        .when = base::utc_now(),
                        .policy = options.policy.text,
                        .seed = options.seed,
                        .machine = machine_of(*this)};
  r.seconds = passed_ns * 1e-9;
  r.inside_seconds = static_cast<double>(recorded->inside_ns(now.ns)) * 1e-9;
  std::vector<observe::timeline_log::reading> timelines;
  for (const auto& p : all_workers) {
    const seat& at = placed[p->id];
    observe::worker_record& w = r.workers.emplace_back();
    w.seat = {.cpu = at.cpu, .domain = static_cast<std::uint32_t>(at.domain), .package = at.package};
    w.times = kept.workers[p->id];
    w.counts = p->observer.counters.read();
    if (!simulated)
      if (const auto counts = recorded->counts_of_threads(p->id)) w.kernel = kernel_of(*counts, w.times);
    timelines.push_back(timeline_of(*p, now.ticks));
  }
  r.timeline = timeline_of(std::move(timelines), scale);
  add_pairs(r, *recorded, placed);
  add_distributions(r, *recorded, all_workers.size(), scale);
  r.locks = locks_of(*recorded, scale);
  if (choices) r.choices = record_of(*choices);
  if (const std::uint64_t calls = kept_calls(all_workers); is_worth_a_note(calls, r.inside_seconds))
    r.notes.push_back(short_calls_note(calls, r.inside_seconds));
  r.notes.push_back(simulated ? forks_are_timed : calibration_note(fast_paths()));
  const counters total = r.total_counts();
  r.work_span = work_span->read(simulated ? 1 : scale, total.forks, total.group_tasks);
  if (!r.work_span->exact) r.notes.push_back(work_span_note(*r.work_span));
  if (simulated) {
    r.simulated = simulated_since(recorded->simulated_before(), simulated->report());
    // From the workers' times, which include the workers that still sleep.
    r.simulated->times.asleep =
        static_cast<std::uint64_t>(static_cast<double>(r.total_times().of(activity::asleep)) *
                                   static_cast<double>(r.simulated->cycles) / std::max(passed_ns, 1.0));
    r.simulated->memory_bytes_a_cycle = simulated->facts().memory_bytes_a_cycle;
    r.simulated->pages_dealt_out = simulated->facts().deals_out_pages;
    return r;
  }
  if (options.bind != binding::cpu) r.notes.push_back(placement_note(options.bind));
  r.process_cpu_seconds = static_cast<double>(recorded->process_cpu_ns()) * 1e-9;
  if (const auto others = recorded->other_cpu_ns()) r.other_cpu_seconds = static_cast<double>(*others) * 1e-9;
  add_hardware(r, *recorded, all_workers.size(), scale);
  if (!r.workers.front().kernel)
    r.notes.push_back("this kernel does not report how long threads waited for a CPU (/proc/self/schedstat)");
  return r;
}

}  // namespace skua::core
