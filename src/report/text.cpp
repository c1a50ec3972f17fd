#include "report/text.hpp"

#include <fmt/core.h>

#include <sstream>
#include <vector>

#include "base/number_text.hpp"
#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"

namespace skua::reports {

using namespace base;

namespace {

// More lines than this are not read at a glance.
constexpr std::size_t few_workers = 16, few_tree_lines = 24;

std::string tree(const observe::run_record& run) {
  std::istringstream text(run.machine.tree);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(shortened(line, columns - 2));
  // A note that one line is missing would take as much room as the line.
  const std::size_t shown = lines.size() <= few_tree_lines + 1 ? lines.size() : few_tree_lines;
  std::string all;
  for (std::size_t i = 0; i < shown; ++i) all += "  " + lines[i] + "\n";
  if (shown < lines.size()) all += fmt::format("  ... and {} more lines\n", count(lines.size() - shown));
  return all;
}

}  // namespace

std::string to_text(const observe::run_record& run, const text_options& options) {
  std::string out = wrapped(run.program, 0) + wrapped(machine_line(run), 2);
  if (!run.when.empty()) out += fmt::format("  ended {} UTC\n", run.when);
  const bool each_worker = options.workers || run.workers.size() <= few_workers;
  for (const std::string& section :
       {tree(run), verdict_section(run), speed_section(run), times_section(run, each_worker),
        work_span_section(run), prediction_section(run), call_sites_section(run), choices_section(run),
        locks_section(run), steals_section(run), distributions_section(run), hardware_section(run),
        simulated_section(run), notes_section(run)})
    if (!section.empty()) out += "\n" + section;
  return out;
}

namespace {

using rows_of_text = std::vector<std::vector<std::string>>;
using format = std::string (*)(double);

std::string ratio(double one, double other) { return one > 0 ? fmt::format("{:.2f}", other / one) : "-"; }

/// A value of both runs, and the quotient of the second and the first.
void compare(rows_of_text& rows, std::string name, double one, double other, format as) {
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
  } else {  // a ratio of an estimate and a measurement means nothing
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
