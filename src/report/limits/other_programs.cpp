#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

namespace skua::reports {

finding find_other_programs(const facts& f) {
  finding found{.what = limit::other_programs, .lost = f.books.waiting_for_cpu};
  const bool too_many = f.run.machine.pus > 0 && f.sum.workers > f.run.machine.pus;
  found.sentence = too_many ? fmt::format(
                                  "There are fewer CPUs than workers, {} for {}: they waited for one for {} "
                                  "of the time, so that "
                                  "nothing else here is reliable.",
                                  f.run.machine.pus, f.sum.workers, percent(found.lost))
                            : fmt::format(
                                  "Other programs limit it: workers waited for CPUs that others had for {} "
                                  "of the time, so that "
                                  "nothing else here is reliable.",
                                  percent(found.lost));
  std::uint64_t preemptions = 0;
  for (const observe::worker_record& worker : f.run.workers)
    if (worker.kernel) preemptions += worker.kernel->preemptions;
  if (preemptions)
    found.evidence.push_back(fmt::format("threads lost their CPU {}", counted(preemptions, "time")));
  if (f.run.other_cpu_seconds > 0)
    found.evidence.push_back(fmt::format("other processes had {} of CPU time in {}",
                                         duration(f.run.other_cpu_seconds * 1e9),
                                         duration(f.run.seconds * 1e9)));
  found.advice =
      too_many ? "Use as many workers as there are CPUs." : "Measure again when the machine is free.";
  return found;
}

}  // namespace skua::reports
