#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

std::string work_span_evidence(const observe::work_span_record& work_span) {
  return fmt::format("work {} over span {}: parallelism {}", duration(static_cast<double>(work_span.work_ns)),
                     duration(static_cast<double>(work_span.span_ns)), decimal(work_span.parallelism()));
}

}  // namespace

finding find_parallelism(const facts& f) {
  finding found{.what = limit::parallelism, .lost = f.books.few_parts};
  const std::string workers = counted(f.sum.workers, "worker");
  if (!f.run.work_span || f.run.work_span->span_ns == 0) {
    found.sentence =
        fmt::format("Too little parallelism limits it: {} found nothing to do for {} of the time.", workers,
                    percent(found.lost));
    found.advice = "Let more of the program's work be forked, or use fewer workers.";
    return found;
  }
  const observe::work_span_record& work_span = *f.run.work_span;
  found.sentence = fmt::format(
      "Too little parallelism limits it: its work is only {} times its longest chain, for {}, which had "
      "nothing to do for {} of the time.",
      decimal(work_span.parallelism()), workers, percent(found.lost));
  found.evidence.push_back(work_span_evidence(work_span));
  if (!work_span.sites.empty() && work_span.sites.front().span_ns > 0) {
    const observe::call_site_record& site = work_span.sites.front();
    found.evidence.push_back(fmt::format(
        "{} of the span is in {}",
        percent(static_cast<double>(site.span_ns) / static_cast<double>(work_span.span_ns)), site.name));
    if (site.is_serial()) {
      found.advice = "Fork what the program does between its parallel parts, or use fewer workers.";
      return found;
    }
  }
  found.advice = "Make the longest chain shorter (the sites below hold it), or use fewer workers.";
  return found;
}

finding find_outside(const facts& f) {
  finding found{.what = limit::parallelism, .lost = f.books.outside};
  found.sentence = fmt::format(
      "Too little parallelism limits it: the program spent {} of its {} outside of skua, where one thread "
      "computes.",
      percent(f.sum.outside_seconds / (f.sum.seconds + f.sum.outside_seconds)),
      duration(1e9 * (f.sum.seconds + f.sum.outside_seconds)));
  found.evidence.push_back(fmt::format("{} inside, {} outside", duration(1e9 * f.sum.seconds),
                                       duration(1e9 * f.sum.outside_seconds)));
  found.advice =
      "Bring more of the program into tasks, or measure only the part that matters (reset_report).";
  return found;
}

}  // namespace skua::reports
