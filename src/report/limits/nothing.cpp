#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

namespace skua::reports {

finding find_nothing(const facts& f) {
  finding found;
  found.sentence = fmt::format("Nothing limits it: {} of the time of {} was useful work.",
                               percent(f.books.useful), counted(f.sum.workers, "worker"));
  found.evidence.push_back(fmt::format("all that is lost together is {}", percent(f.books.lost())));
  if (f.sum.speedup_measured)
    found.evidence.push_back(fmt::format("speedup {} over one worker, measured", decimal(f.sum.speedup)));
  if (f.run.work_span)
    found.evidence.push_back(fmt::format("parallelism {}, so that more workers would help, too",
                                         decimal(f.run.work_span->burdened_parallelism())));
  return found;
}

}  // namespace skua::reports
