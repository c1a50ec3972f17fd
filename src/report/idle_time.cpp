#include "report/idle_time.hpp"

#include <algorithm>

#include "report/lonely_time.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

namespace {

using observe::run_record;
using observe::work_span_record;

/// The part of the span that lies in tasks of some site, and not in what begins all of them.
double part_in_tasks(const work_span_record& work_span) {
  double in_tasks = 0;
  for (const observe::call_site_record& site : work_span.sites)
    if (!site.is_serial()) in_tasks += static_cast<double>(site.span_ns);
  return work_span.span_ns ? in_tasks / static_cast<double>(work_span.span_ns) : 0;
}

/// The longest task that is known of: taken by a thief, or seen in the timeline.
double longest_known_ns(const run_record& run) {
  const lonely_time lonely = find_lonely_time(run);
  double longest = lonely.after_company ? lonely.longest_ns : 0;
  // A piece of a loop may take long and is shared out all the while: then nobody is idle beside it.
  const bool others_idle = run.timeline.workers.empty() ||
                           lonely.ns >= thresholds::idle_beside_it * static_cast<double>(run.task_size.max);
  if (run.task_size.number > 0 && others_idle &&
      static_cast<double>(run.task_size.max) >= thresholds::unlike_the_mean * run.task_size.mean())
    longest = std::max(longest, static_cast<double>(run.task_size.max));
  return longest;
}

/// After all had worked, one went on alone, and that is where most of the idle time lies.
bool one_worker_explains_idle_time(const run_record& run) {
  const lonely_time lonely = find_lonely_time(run);
  const worker_times times = run.total_times();
  const double outside_ns = run.inside_seconds > 0 ? 1e9 * static_cast<double>(run.workers.size()) *
                                                         (run.seconds - run.inside_seconds)
                                                   : 0;
  const double idle_ns = static_cast<double>(times.of(activity::looking) + times.of(activity::claiming) +
                                             times.of(activity::waiting) + times.of(activity::asleep)) -
                         outside_ns;
  const double beside = lonely.longest_ns * (static_cast<double>(run.workers.size()) - lonely.workers);
  return lonely.after_company && beside >= thresholds::one_task_holds_span * idle_ns;
}

/// What of his time he who worked on alone for the longest spent on forking, claiming and taking; 0: nobody did.
double library_part_of_lonely_work(const run_record& run) {
  const lonely_time lonely = find_lonely_time(run);
  if (lonely.longest_ns <= 0) return 0;
  const worker_times& times = run.workers[lonely.worker].times;
  const auto user = static_cast<double>(times.of(activity::user));
  const auto library = static_cast<double>(times.of(activity::spawning) + times.of(activity::own_queue) +
                                           times.of(activity::taking) + times.of(activity::suspending) +
                                           times.of(activity::resuming));
  return user + library > 0 ? library / (user + library) : 0;
}

/// Who is waited for may be late because of what his many small tasks cost.
idle_reasons by_what_takes_long(idle_reasons reasons, const run_record& run) {
  const double costs = reasons.long_tasks * library_part_of_lonely_work(run);
  reasons.long_tasks -= costs;
  reasons.small_parts += costs;
  return reasons;
}

bool steals_cost_more_than_they_bring(const run_record& run) {
  return run.task_size.number > 0 && run.steal_duration.number > 0 &&
         run.task_size.mean() * thresholds::steal_part_of_task < run.steal_duration.mean();
}

}  // namespace

double one_long_task_ns(const run_record& run) {
  const double longest = longest_known_ns(run);
  if (!run.work_span || run.work_span->span_ns == 0)
    return one_worker_explains_idle_time(run) ||
                   longest >= thresholds::one_task_holds_span * 1e9 *
                                  (run.inside_seconds > 0 ? run.inside_seconds : run.seconds)
               ? longest
               : 0;
  const work_span_record& work_span = *run.work_span;
  // What begins all tasks is serial by itself, however long it is.
  if (part_in_tasks(work_span) < thresholds::one_task_holds_span) return 0;
  const bool holds_span = longest >= thresholds::one_task_holds_span * static_cast<double>(work_span.span_ns);
  return holds_span || one_worker_explains_idle_time(run) ? longest : 0;
}

idle_reasons explain_idle_time(const run_record& run, double idle_ns) {
  const bool one_is_long = one_long_task_ns(run) > 0;
  if (!run.work_span || run.work_span->span_ns == 0) {
    if (one_is_long) return by_what_takes_long({.long_tasks = 1}, run);
    if (steals_cost_more_than_they_bring(run)) return {.small_parts = 1};
    return {.few_parts = 1};
  }
  // While the span passes, the others may have nothing to do; and each steal on it makes it longer.
  const auto others = static_cast<double>(run.workers.size() - 1);
  const work_span_record& work_span = *run.work_span;
  const double by_span = others * static_cast<double>(work_span.span_ns);
  const double by_burden =
      others * (static_cast<double>(std::max(work_span.burdened_span_ns, work_span.span_ns)) -
                static_cast<double>(work_span.span_ns));
  const double explained = std::min(1.0, (by_span + by_burden) / std::max(idle_ns, 1.0));
  const double span_part = explained * by_span / std::max(by_span + by_burden, 1.0);
  idle_reasons reasons{.small_parts = explained - span_part, .long_tasks = 1 - explained};
  (one_is_long ? reasons.long_tasks : reasons.few_parts) += span_part;
  return by_what_takes_long(reasons, run);
}

}  // namespace skua::reports
