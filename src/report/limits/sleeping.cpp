#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

namespace skua::reports {

finding find_sleeping(const facts& f) {
  finding found{.what = limit::sleeping, .lost = f.books.blocked};
  std::uint64_t blocked = 0;
  for (const observe::worker_record& worker : f.run.workers)
    if (worker.kernel) blocked += worker.kernel->blocked_ns;
  found.sentence = fmt::format(
      "Sleeping limits it: tasks waited in the kernel for {} of the time of {}, and computed for {}.",
      percent(found.lost), counted(f.sum.workers, "worker"), percent(f.books.useful));
  found.evidence.push_back(fmt::format("{} in locks, files, sleeps or page faults in the middle of tasks",
                                       duration(static_cast<double>(blocked))));
  found.advice =
      "Let blocking calls run beside the workers (skua::blocking), use skua::mutex, or hold locks for less.";
  return found;
}

}  // namespace skua::reports
