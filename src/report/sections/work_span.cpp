// Work and span, what they let one expect, and the sites that hold the span.
#include <fmt/core.h>

#include "report/call_site_name.hpp"
#include "report/lines.hpp"
#include "report/prediction.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

std::string ns(std::uint64_t value) { return duration(static_cast<double>(value)); }

}  // namespace

std::string work_span_section(const observe::run_record& run) {
  if (!run.work_span) return "";
  const observe::work_span_record& s = *run.work_span;
  std::string all = "Work and span\n";
  all += fmt::format("  work {}, span {}: parallelism {}\n", ns(s.work_ns), ns(s.span_ns),
                     decimal(s.parallelism()));
  all += fmt::format("  span {} if every fork on it costs a steal ({}): parallelism {}\n",
                     ns(s.burdened_span_ns), ns(s.burden_ns), decimal(s.burdened_parallelism()));
  all += fmt::format("  {}, {}, {}", counted(s.forks, "fork"), counted(s.loops, "loop"),
                     counted(s.group_tasks, "group task"));
  if (!s.exact && s.grain_ns) all += fmt::format("; parts below {} were taken as serial", ns(s.grain_ns));
  return all + "\n";
}

std::string prediction_section(const observe::run_record& run) {
  const std::vector<predicted_speedup> all = predict(run);
  if (all.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"workers", "expected", "at most", "measured"}};
  for (const predicted_speedup& p : all) {
    // Powers of two and what is measured are enough to read.
    if (!p.measured && p.workers != run.workers.size() && (p.workers & (p.workers - 1)) != 0) continue;
    rows.push_back(
        {count(p.workers), decimal(p.at_least), decimal(p.at_most), p.measured ? decimal(*p.measured) : "-"});
  }
  return "Speedup that work and span allow\n" + table(rows);
}

namespace {

std::string calls_of(const observe::call_site_record& site) {
  return site.inside == 0 ? count(site.times) : count(site.times) + " + " + count(site.inside) + " inside";
}

}  // namespace

std::string call_sites_section(const observe::run_record& run) {
  if (!run.work_span || run.work_span->sites.empty()) return "";
  const auto share = [](std::uint64_t part, std::uint64_t of) {
    return of ? percent(static_cast<double>(part) / static_cast<double>(of)) : "-";
  };
  std::vector<std::vector<std::string>> rows = {{"site", "kind", "of span", "of work", "calls"}};
  for (const observe::call_site_record& site : run.work_span->sites)
    rows.push_back({without_arguments(call_site_name(site, run.work_span->sites)), site.kind,
                    share(site.span_ns, run.work_span->span_ns),
                    site.is_serial() ? "-" : share(site.work_ns, run.work_span->work_ns),
                    site.is_serial() ? "-" : calls_of(site)});
  return "Sites that hold the span\n" + table(rows);
}

}  // namespace skua::reports
