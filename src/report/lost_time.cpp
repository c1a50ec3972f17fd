#include "report/lost_time.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/summary.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

using observe::run_record;
using observe::work_span_record;

namespace {

/// The share of an interval in which a worker was busy.
double busy_share(const worker_times& times, double interval_ns) {
  const std::uint64_t idle = times.of(activity::looking) + times.of(activity::claiming) +
                             times.of(activity::waiting) + times.of(activity::asleep);
  return static_cast<double>(times.sum() - idle) / interval_ns;
}

struct interval {
  std::vector<bool> working;
  std::size_t number = 0;  // of workers that work
  double of_others = 0;    // busy share of each other worker, on average

  interval(const observe::timeline_record& line, std::size_t i) : working(line.workers.size()) {
    for (std::size_t w = 0; w < working.size(); ++w) {
      const auto& all = line.workers[w];
      const double busy = i < all.size() ? busy_share(all[i], static_cast<double>(line.interval_ns)) : 0;
      working[w] = busy >= thresholds::busy;
      if (working[w])
        ++number;
      else
        of_others += busy;
    }
    if (number < working.size()) of_others /= static_cast<double>(working.size() - number);
  }
  bool few_busy() const {
    const std::size_t few = std::max<std::size_t>(1, working.size() / 4);
    return number > 0 && number <= few && of_others < thresholds::idle;
  }
  bool many_busy() const { return 2 * number > working.size(); }
};

/// For each worker, for how long it has been busy while few workers were; and the longest of these stretches.
class stretches {
 public:
  explicit stretches(std::size_t workers) : lengths_(workers) {}

  void add(const interval& here, double interval_ns, few_busy_time& found) {
    for (std::size_t w = 0; w < lengths_.size(); ++w) {
      lengths_[w] = here.few_busy() && here.working[w] ? lengths_[w] + interval_ns : 0;
      if (lengths_[w] <= found.longest_ns) continue;
      found.longest_ns = lengths_[w];
      found.worker = static_cast<std::uint32_t>(w);
      found.after_many_busy = many_were_busy_;
    }
    many_were_busy_ = many_were_busy_ || here.many_busy();
  }

 private:
  std::vector<double> lengths_;
  bool many_were_busy_ = false;
};

}  // namespace

few_busy_time find_few_busy_time(const run_record& run) {
  few_busy_time found;
  const observe::timeline_record& line = run.timeline;
  if (line.workers.size() < 2 || line.interval_ns == 0) return found;
  const auto interval_ns = static_cast<double>(line.interval_ns);
  std::size_t intervals = 0;
  for (const auto& one : line.workers) intervals = std::max(intervals, one.size());

  stretches all(line.workers.size());
  double busy_workers = 0;
  for (std::size_t i = 0; i < intervals; ++i) {
    const interval here(line, i);
    all.add(here, interval_ns, found);
    if (!here.few_busy()) continue;
    found.ns += interval_ns;
    busy_workers += static_cast<double>(here.number) * interval_ns;
  }
  if (found.ns > 0) found.workers = busy_workers / found.ns;
  return found;
}

namespace {

/// The part of the span that lies in tasks of call sites, not in the serial part that starts them.
double part_in_tasks(const work_span_record& work_span) {
  double in_tasks = 0;
  for (const observe::call_site_record& site : work_span.sites)
    if (!site.is_serial()) in_tasks += static_cast<double>(site.span_ns);
  return work_span.span_ns ? in_tasks / static_cast<double>(work_span.span_ns) : 0;
}

/// The longest known task: stolen, or seen in the timeline.
double longest_known_ns(const run_record& run) {
  const few_busy_time few = find_few_busy_time(run);
  double longest = few.after_many_busy ? few.longest_ns : 0;
  // Part of a loop may take long while thieves take parts of it: then no other worker is idle meanwhile.
  const bool others_idle = run.timeline.workers.empty() ||
                           few.ns >= thresholds::idle_beside_it * static_cast<double>(run.task_size.max);
  if (run.task_size.number > 0 && others_idle &&
      static_cast<double>(run.task_size.max) >= thresholds::unlike_the_mean * run.task_size.mean())
    longest = std::max(longest, static_cast<double>(run.task_size.max));
  return longest;
}

/// After many workers were busy, one continued alone, and most of the idle time falls into that stretch.
bool one_worker_explains_idle_time(const run_record& run) {
  const few_busy_time few = find_few_busy_time(run);
  const worker_times times = run.total_times();
  const double outside_ns =
      1e9 * static_cast<double>(run.workers.size()) * (run.seconds - seconds_inside(run));
  const double idle_ns = static_cast<double>(times.of(activity::looking) + times.of(activity::claiming) +
                                             times.of(activity::waiting) + times.of(activity::asleep)) -
                         outside_ns;
  const double beside = few.longest_ns * (static_cast<double>(run.workers.size()) - few.workers);
  return few.after_many_busy && beside >= thresholds::one_task_holds_span * idle_ns;
}

/// For the worker that was alone for the longest: the share of its time that it spent on forking, on its own queue, on taking
/// and on switching stacks. 0 if none was alone.
double library_share_of_last_worker(const run_record& run) {
  const few_busy_time few = find_few_busy_time(run);
  if (few.longest_ns <= 0) return 0;
  const worker_times& times = run.workers[few.worker].times;
  const auto user = static_cast<double>(times.of(activity::user));
  const auto library = static_cast<double>(times.of(activity::spawning) + times.of(activity::own_queue) +
                                           times.of(activity::taking) + times.of(activity::suspending) +
                                           times.of(activity::resuming));
  return user + library > 0 ? library / (user + library) : 0;
}

/// The last worker may be late because of the cost of its many small tasks.
idle_reasons with_task_costs(idle_reasons reasons, const run_record& run) {
  const double costs = reasons.long_tasks * library_share_of_last_worker(run);
  reasons.long_tasks -= costs;
  reasons.small_parts += costs;
  return reasons;
}

bool steals_cost_more_than_tasks(const run_record& run) {
  return run.task_size.number > 0 && run.steal_duration.number > 0 &&
         run.task_size.mean() * thresholds::steal_part_of_task < run.steal_duration.mean();
}

/// In units of the burden. The burden includes the time in which the stolen task brings its data into other caches. A
/// simulated machine counts that time separately, as the time of data.
double cost_of_a_steal(const run_record& run) {
  const auto burden = static_cast<double>(run.work_span->burden_ns);
  if (!run.simulated || run.steal_duration.number == 0 || burden <= 0) return 1;
  return std::min(1.0, run.steal_duration.mean() / burden);
}

}  // namespace

double one_long_task_ns(const run_record& run) {
  const double longest = longest_known_ns(run);
  if (!run.work_span || run.work_span->span_ns == 0)
    return one_worker_explains_idle_time(run) ||
                   longest >= thresholds::one_task_holds_span * 1e9 * seconds_inside(run)
               ? longest
               : 0;
  const work_span_record& work_span = *run.work_span;
  // The part that starts all tasks is serial, however long it is.
  if (part_in_tasks(work_span) < thresholds::one_task_holds_span) return 0;
  const bool holds_span = longest >= thresholds::one_task_holds_span * static_cast<double>(work_span.span_ns);
  return holds_span || one_worker_explains_idle_time(run) ? longest : 0;
}

// The record assigns work that it treats as serial to no loop. So the work of one loop is all work divided by the number of
// loops. If a larger loop or fork contains them, its own work shows that, and there is no finding.
small_loops find_small_loops(const run_record& run) {
  if (!run.work_span || run.work_span->exact) return {};
  const double small_ns = thresholds::steals_a_loop * static_cast<double>(run.work_span->burden_ns);
  small_loops found;
  for (const observe::call_site_record& site : run.work_span->sites) {
    if (site.is_serial()) continue;
    if (static_cast<double>(site.work_ns) >= small_ns * static_cast<double>(site.times)) return {};
    if (site.kind == "loop") found.number += site.times;
  }
  if (found.number < thresholds::many_loops) return {};
  found.work_ns =
      static_cast<double>(run.total_times().of(activity::user)) / static_cast<double>(found.number);
  return found.work_ns < small_ns ? found : small_loops{};
}

bool made_as_slowly_as_run(const run_record& run) {
  if (!run.work_span || run.work_span->exact) return false;
  const work_span_record& work_span = *run.work_span;
  const auto tasks = static_cast<double>(work_span.group_tasks);
  return work_span.group_tasks > work_span.forks &&
         static_cast<double>(work_span.work_ns) < thresholds::tiny_task_ns * tasks;
}

idle_reasons explain_idle_time(const run_record& run, double idle_ns) {
  if (find_small_loops(run).number > 0) return {.small_parts = 1};
  const bool one_is_long = one_long_task_ns(run) > 0;
  if (!run.work_span || run.work_span->span_ns == 0) {
    if (one_is_long) return with_task_costs({.long_tasks = 1}, run);
    if (steals_cost_more_than_tasks(run)) return {.small_parts = 1};
    return {.few_parts = 1};
  }
  // While one worker executes the span, the others may have nothing to do; each steal on the span makes it longer.
  const auto others = static_cast<double>(run.workers.size() - 1);
  const work_span_record& work_span = *run.work_span;
  const double by_span = others * static_cast<double>(work_span.span_ns);
  const double by_burden = others * cost_of_a_steal(run) *
                           (static_cast<double>(std::max(work_span.burdened_span_ns, work_span.span_ns)) -
                            static_cast<double>(work_span.span_ns));
  const double explained = std::min(1.0, (by_span + by_burden) / std::max(idle_ns, 1.0));
  const double span_part = explained * by_span / std::max(by_span + by_burden, 1.0);
  idle_reasons reasons{.small_parts = explained - span_part, .long_tasks = 1 - explained};
  if (made_as_slowly_as_run(run))
    reasons.small_parts += span_part;
  else
    (one_is_long ? reasons.long_tasks : reasons.few_parts) += span_part;
  return with_task_costs(reasons, run);
}

namespace {

using observe::run_record;

double share(double of, double by) { return by > 0 ? of / by : 0; }

/// Lines that came from outside of the own caches.
struct traffic {
  double near_memory = 0, far_memory = 0, near_caches = 0, far_caches = 0;

  double far() const { return far_memory + far_caches; }
  double all() const { return near_memory + near_caches + far(); }
  /// In units of the time of a near line.
  double time() const { return near_memory + near_caches + thresholds::remote_slowness * far(); }
};

/// The names of distances, the nearest first, are "same L2", "same L3", "same package", "1 hop", "2 hops". Everything
/// beyond the domain is far.
traffic traffic_of(const run_record& run) {
  constexpr double line_bytes = 64;
  traffic t;
  for (const simulated_node& node : run.simulated->nodes) {
    const auto remote = static_cast<double>(node.bytes_read_remotely),
               all = static_cast<double>(node.bytes_read);
    t.far_memory += remote / line_bytes;
    t.near_memory += (all - std::min(all, remote)) / line_bytes;
  }
  const std::string domain = "same " + run.machine.domain_kind;
  const auto& transfers = run.simulated->transfers;
  const bool domains_are_named =
      std::ranges::find(transfers, domain, &simulated_transfers::distance) != transfers.end();
  bool far = false;
  for (const simulated_transfers& one : transfers) {
    if (!domains_are_named && one.distance.ends_with("hop")) far = true;
    (far ? t.far_caches : t.near_caches) += static_cast<double>(one.data);
    if (one.distance == domain || one.distance.ends_with("hop")) far = true;
  }
  return t;
}

void read_memories(const observe::simulated_record& simulated, data_time& found) {
  double all = 0, busiest = 0, fullest = 0;
  for (const simulated_node& node : simulated.nodes) {
    all += static_cast<double>(node.bytes_read);
    busiest = std::max(busiest, static_cast<double>(node.bytes_read));
    fullest = std::max(fullest, static_cast<double>(node.bytes_read + node.bytes_written));
  }
  if (simulated.nodes.size() > 1) found.one_memory = share(busiest, all);
  found.fullest = share(fullest, static_cast<double>(simulated.cycles) * simulated.memory_bytes_a_cycle);
}

/// Shares of the workers' own time: computing, and waiting for data.
data_time of_simulated(const run_record& run) {
  const simulated_times& times = run.simulated->times;
  const double data = share(static_cast<double>(times.data),
                            static_cast<double>(times.data + times.computing + times.forking));
  const traffic t = traffic_of(run);
  data_time found;
  found.remote_reads = share(t.far(), t.all());
  found.interleaved = run.simulated->pages_dealt_out && t.far_memory >= t.far_caches;
  read_memories(*run.simulated, found);
  // Near data would wait as long for a saturated memory.
  const bool full = found.fullest >= thresholds::full_memory;
  const double far_lines = full ? t.far_caches : t.far();
  const double excess = thresholds::remote_slowness - 1;
  if (full)
    found.saturated = data * share(t.near_memory + thresholds::remote_slowness * t.far_memory, t.time());
  found.remote = data * share(excess * far_lines, t.time());
  return found;
}

/// In user time; none if the hardware does not count the event.
std::optional<std::uint64_t> count_of(const run_record& run, std::string_view event) {
  for (const observe::hardware_record& one : run.hardware) {
    if (one.event != event) continue;
    std::uint64_t all = 0;
    for (const observe::hardware_counts& worker : one.workers)
      all += worker.of[static_cast<std::size_t>(activity::user)];
    return all;
  }
  return std::nullopt;
}

/// For hardware that does not count remote reads: the share of the work that was stolen from another domain.
double stolen_from_other_domains(const run_record& run) {
  const counters counts = run.total_counts();
  const double remote = share(static_cast<double>(counts.remote_steals), static_cast<double>(counts.steals));
  const auto user = static_cast<double>(run.total_times().of(activity::user));
  return remote * std::min(1.0, share(static_cast<double>(run.task_size.sum), user));
}

data_time of_real(const run_record& run) {
  data_time found;
  if (run.machine.domains < 2) return found;
  const auto misses = count_of(run, "last-level misses"), remote = count_of(run, "remote node accesses");
  found.remote_reads = misses && remote && *misses != 0
                           ? std::min(1.0, share(static_cast<double>(*remote), static_cast<double>(*misses)))
                           : stolen_from_other_domains(run);
  return found;
}

}  // namespace

double bytes_a_second(const run_record& run) {
  constexpr double line_bytes = 64;
  const double user_s = 1e-9 * static_cast<double>(run.total_times().of(activity::user));
  const double missed = line_bytes * static_cast<double>(count_of(run, "last-level misses").value_or(0));
  return share(std::max(missed, static_cast<double>(run.bytes_declared)), user_s);
}

data_time split_data_time(const run_record& run, double inflation) {
  data_time found = run.simulated ? of_simulated(run) : of_real(run);
  if (inflation <= 0) return found;
  // One worker waits for data, too: only the additional time is lost.
  const double extra = inflation > 1 ? 1 - 1 / inflation : 0;
  if (run.simulated && found.remote + found.saturated > 0) {
    const double scale = extra / (found.remote + found.saturated);
    found.remote *= scale;
    found.saturated *= scale;
  } else {
    const bool far = found.remote_reads >= thresholds::many_remote;
    const bool much = !run.simulated && bytes_a_second(run) >= thresholds::much_data;
    (far ? found.remote : much ? found.saturated : found.slower) = extra;
  }
  return found;
}

}  // namespace skua::reports
