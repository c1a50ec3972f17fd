#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

#include "report/idle_time.hpp"
#include "report/lonely_time.hpp"

namespace skua::reports {

finding find_imbalance(const facts& f) {
  finding found{.what = limit::imbalance, .lost = f.books.long_tasks};
  const double longest = one_long_task_ns(f.run);
  const lonely_time lonely = find_lonely_time(f.run);
  const double inside_ns = f.sum.seconds * 1e9;
  if (longest > 0 && inside_ns > 0) {
    found.sentence = fmt::format(
        "Load imbalance limits it: one task took {}, {} of the whole time, while other workers found nothing "
        "for {} of "
        "it.",
        duration(longest), percent(longest / inside_ns), percent(found.lost));
    found.advice = "Split the longest tasks, or begin them first.";
  } else {
    found.sentence = fmt::format(
        "Load imbalance limits it: workers found nothing for {} of the time although there was work for all "
        "of them.",
        percent(found.lost));
    found.advice = "Fork the long parts first; look whether the policy lets everybody steal (skua explain).";
  }
  if (lonely.ns > 0 && inside_ns > 0)
    found.evidence.push_back(fmt::format("for {} of the time {} of {} workers computed alone",
                                         percent(lonely.ns / inside_ns), decimal(lonely.workers),
                                         f.sum.workers));
  if (f.run.task_size.number > 0)
    found.evidence.push_back(fmt::format("stolen tasks took {} on average, the longest {}",
                                         duration(f.run.task_size.mean()),
                                         duration(static_cast<double>(f.run.task_size.max))));
  if (f.run.work_span)
    found.evidence.push_back(fmt::format("parallelism {} for {}", decimal(f.run.work_span->parallelism()),
                                         counted(f.sum.workers, "worker")));
  return found;
}

}  // namespace skua::reports
