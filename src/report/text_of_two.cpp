// Two runs side by side.
#include <fmt/core.h>

#include <vector>

#include "report/account.hpp"
#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

using rows_of_text = std::vector<std::vector<std::string>>;
using written = std::string (*)(double);

std::string ratio(double one, double other) { return one > 0 ? fmt::format("{:.2f}", other / one) : "-"; }

/// A number of both runs, and the second one's by the first one's.
void compare(rows_of_text& rows, std::string name, double one, double other, written as) {
  if (one == 0 && other == 0) return;
  rows.push_back({std::move(name), as(one), as(other), ratio(one, other)});
}

std::string whole(double value) { return count(static_cast<std::uint64_t>(value)); }

std::string how(const summary& of) { return of.speedup_measured ? "measured" : "estimated"; }

std::string inflation(double value) { return value > 0 ? decimal(value) : "not known"; }

void compare_speed(rows_of_text& rows, const summary& one, const summary& other) {
  compare(rows, "workers", static_cast<double>(one.workers), static_cast<double>(other.workers), whole);
  compare(rows, "time in the scheduler", 1e9 * one.seconds, 1e9 * other.seconds, duration);
  compare(rows, "time outside", 1e9 * one.outside_seconds, 1e9 * other.outside_seconds, duration);
  if (one.speedup_measured == other.speedup_measured) {
    compare(rows, "speedup, " + how(one), one.speedup, other.speedup, decimal);
    compare(rows, "efficiency", one.efficiency, other.efficiency, percent);
  } else {  // the ratio of an estimate and a measurement would say nothing
    const auto speedup = [](const summary& of) { return decimal(of.speedup) + ", " + how(of); };
    rows.push_back({"speedup", speedup(one), speedup(other), "-"});
    rows.push_back({"efficiency", percent(one.efficiency), percent(other.efficiency), "-"});
  }
  const double a = one.work_inflation, b = other.work_inflation;
  if (a > 0 || b > 0)
    rows.push_back({"work inflation", inflation(a), inflation(b), b > 0 ? ratio(a, b) : "-"});
}

void compare_work_span(rows_of_text& rows, const observe::run_record& one, const observe::run_record& other) {
  if (!one.work_span || !other.work_span) return;
  const auto &a = *one.work_span, &b = *other.work_span;
  compare(rows, "work", static_cast<double>(a.work_ns), static_cast<double>(b.work_ns), duration);
  compare(rows, "span", static_cast<double>(a.span_ns), static_cast<double>(b.span_ns), duration);
  compare(rows, "parallelism", a.parallelism(), b.parallelism(), decimal);
  compare(rows, "burdened parallelism", a.burdened_parallelism(), b.burdened_parallelism(), decimal);
}

void compare_counts(rows_of_text& rows, const observe::run_record& one, const observe::run_record& other) {
  const counters a = one.total_counts(), b = other.total_counts();
  struct named {
    const char* name;
    std::uint64_t counters::* member;
  };
  for (const auto& [name, member] :
       {named{"forks", &counters::forks}, named{"group tasks", &counters::group_tasks},
        named{"attempts", &counters::attempts}, named{"steals", &counters::steals},
        named{"steals from other domains", &counters::remote_steals},
        named{"suspensions", &counters::suspensions}, named{"sleeps", &counters::sleeps}})
    compare(rows, name, static_cast<double>(a.*member), static_cast<double>(b.*member), whole);
  compare(rows, "bytes of stolen tasks", static_cast<double>(one.bytes_stolen),
          static_cast<double>(other.bytes_stolen), amount_of_bytes);
  compare(rows, "median of stolen tasks", one.task_size.quantile(0.5), other.task_size.quantile(0.5),
          duration);
  compare(rows, "median of steals", one.steal_duration.quantile(0.5), other.steal_duration.quantile(0.5),
          duration);
}

}  // namespace

std::string to_text(const observe::run_record& one, const observe::run_record& other, const text_options&) {
  std::string out;
  for (const auto& [letter, run] : {std::pair{"A  ", &one}, std::pair{"B  ", &other}})
    out += wrapped(run->program, 3, letter) + wrapped(machine_line(*run), 3) + "\n" + verdict_section(*run) +
           "\n";
  const summary a = summarise(one), b = summarise(other);
  rows_of_text rows = {{"", "A", "B", "B / A"}};
  compare_speed(rows, a, b);
  for (std::size_t i = 0; i < activity_count; ++i)
    compare(rows, fmt::format("share of time: {}", activity_names[i]), a.share[i], b.share[i], percent);
  compare_work_span(rows, one, other);
  compare_counts(rows, one, other);
  return out + table(rows);
}

}  // namespace skua::reports
