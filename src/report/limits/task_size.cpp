#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

void tell_of_steals(const observe::run_record& run, finding& found) {
  if (run.task_size.number == 0) return;
  std::string line =
      fmt::format("{} were stolen; half of them were shorter than {}", counted(run.task_size.number, "task"),
                  duration(run.task_size.quantile(0.5)));
  if (run.steal_duration.number > 0)
    line += fmt::format(", a steal takes {}", duration(run.steal_duration.mean()));
  found.evidence.push_back(line);
}

void tell_of_burden(const observe::run_record& run, finding& found) {
  if (!run.work_span || run.work_span->span_ns == 0) return;
  found.evidence.push_back(fmt::format("parallelism {}, but {} if every fork on the span costs a steal ({})",
                                       decimal(run.work_span->parallelism()),
                                       decimal(run.work_span->burdened_parallelism()),
                                       duration(static_cast<double>(run.work_span->burden_ns))));
}

}  // namespace

finding find_task_size(const facts& f) {
  finding found{.what = limit::task_size, .lost = f.books.library + f.books.small_parts};
  const counters counts = f.run.total_counts();
  const std::uint64_t parts = counts.forks + counts.group_tasks;
  const auto user_ns = static_cast<double>(f.run.total_times().of(activity::user));
  const std::string size =
      parts > 0 ? fmt::format("; there is {} of work for each of its {}",
                              duration(user_ns / static_cast<double>(parts)), counted(parts, "fork"))
                : "";
  if (f.books.library >= f.books.small_parts)
    found.sentence =
        fmt::format("Too small tasks limit it: forking, claiming and taking them cost {} of the time{}.",
                    percent(f.books.library), size);
  else
    found.sentence = fmt::format(
        "Too small tasks limit it: workers had nothing to do for {} of the time, because steals take longer "
        "than "
        "what they bring{}.",
        percent(f.books.small_parts), size);
  tell_of_steals(f.run, found);
  tell_of_burden(f.run, found);
  found.advice =
      "Do more in one task: a cut-off below which the work is sequential, or a larger grain of a loop.";
  return found;
}

}  // namespace skua::reports
