// `skua report`: where the time of a run went and what limits its speedup, from its record.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

#include "base/whole_file.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/source_lines.hpp"
#include "observe/run_record.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace skua::cli {
namespace {

struct report_options {
  std::string run, other, output, baseline;
  bool json = false, workers = false;
};

observe::run_record read_record(const std::string& path) {
  return observe::read_run_record(
      base::text_of_file(path, "a file that SKUA_REPORT or `skua run --report` wrote"), path);
}

/// The first word of the command line, without its folders.
std::string program_of(const observe::run_record& run) {
  const std::string file = run.program.substr(0, run.program.find(' '));
  return file.substr(file.rfind('/') + 1);
}

bad_input no_baseline(const std::string& path, std::string_view is, std::string_view allowed) {
  return bad_input(fmt::format("--baseline '{}' {}; allowed: {}", path, is, allowed));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream from(text);
  return {std::istream_iterator<std::string>(from), {}};
}

/// A program may take its number of workers as an argument: "4" or "--workers=4" there, "1" or "--workers=1" here.
bool is_number_of_workers(const std::string& here, const std::string& there, std::size_t workers) {
  const std::string number = std::to_string(workers);
  return here.ends_with('1') && there.ends_with(number) &&
         std::string_view(here).substr(0, here.size() - 1) ==
             std::string_view(there).substr(0, there.size() - number.size());
}

bool is_number(const std::string& word) {
  const std::size_t at = word.find('=') + 1;  // 0 without one
  return at < word.size() && word[at] >= '0' && word[at] <= '9';
}

/// The first numeric argument that differs in the other run; empty if there is none. Names of files may differ, and options may
/// be missing.
std::string other_number(const observe::run_record& one, const observe::run_record& run) {
  const std::vector<std::string> here = words_of(one.program), there = words_of(run.program);
  if (here.size() != there.size()) return "";
  for (std::size_t i = 1; i < here.size(); ++i)
    if (here[i] != there[i] && is_number(here[i]) && is_number(there[i]) &&
        !is_number_of_workers(here[i], there[i], run.workers.size()))
      return here[i];
  return "";
}

/// The tasks that the program itself made, at least. Parts of loops fork as well, and how many parts there are depends on thieves
/// and on times. A call site counts a loop once, however many parts it has.
double tasks_at_least(const observe::run_record& run) {
  const counters counts = run.total_counts();
  const std::uint64_t forks = counts.forks - std::min(counts.forks, counts.steals);
  if (!run.work_span || run.work_span->loops == 0) return static_cast<double>(forks + counts.group_tasks);
  std::uint64_t at_sites = 0;
  for (const observe::call_site_record& site : run.work_span->sites)
    if (site.kind == "loop")
      at_sites += site.times;
    else if (site.kind == "join")
      at_sites += site.times + site.inside;
  return static_cast<double>(std::min(forks, at_sites) + counts.group_tasks);
}

/// The number of tasks may depend on the number of workers.
bool does_similar_work(const observe::run_record& one, const observe::run_record& run) {
  constexpr double few_tasks = 1000;
  const counters here = one.total_counts(), there = run.total_counts();
  const auto tasks = static_cast<double>(here.forks + here.group_tasks);
  const auto most = static_cast<double>(there.forks + there.group_tasks);
  const double factor = 2 * static_cast<double>(run.workers.size());
  return std::max(tasks, most) < few_tasks ||
         (tasks * factor >= tasks_at_least(run) && most * factor >= tasks_at_least(one));
}

/// Adds the time that the same work takes on one worker, from the record of such a run.
void add_baseline(observe::run_record& run, const std::string& path) {
  const observe::run_record one = read_record(path);
  if (one.workers.size() != 1)
    throw no_baseline(path, fmt::format("has {} workers", one.workers.size()),
                      "a run of the same program on one worker");
  if (program_of(one) != program_of(run))
    throw no_baseline(path, fmt::format("is a run of '{}'", program_of(one)),
                      fmt::format("a run of the same program, '{}', on one worker", program_of(run)));
  if (const std::string number = other_number(one, run); !number.empty())
    throw no_baseline(path, fmt::format("is a run of '{}', with the argument {}", one.program, number),
                      fmt::format("a run of the same command, '{}', on one worker", run.program));
  if (!does_similar_work(one, run))
    throw no_baseline(path, "forked a different number of tasks",
                      "a run of the same program with the same input on one worker");
  run.baseline = observe::baseline_record{.seconds = reports::seconds_inside(one),
                                          .parallel_seconds = reports::seconds_inside(run)};
}

std::vector<observe::run_record> records(const report_options& options) {
  std::vector<observe::run_record> all = {read_record(options.run)};
  if (!options.baseline.empty()) add_baseline(all.front(), options.baseline);
  if (!options.other.empty()) all.push_back(read_record(options.other));
  for (observe::run_record& run : all) add_source_lines(run);
  return all;
}

void print_records_json(const std::vector<observe::run_record>& runs) {
  if (runs.size() == 1) {
    print_json_text(reports::to_json(runs.front()));
    return;
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const observe::run_record& run : runs) all.push_back(reports::to_json(run));
  print_json_text(all);
}

void print_records_text(const std::vector<observe::run_record>& runs, const reports::text_options& how) {
  fmt::print("{}",
             runs.size() == 1 ? reports::to_text(runs[0], how) : reports::to_text(runs[0], runs[1], how));
}

// Opened after the records are read: a wrong record must not destroy an old page.
void write_page(const report_options& options, const std::vector<observe::run_record>& runs) {
  page_file page(options.output, {".html"});
  std::vector<reports::shown_run> shown = {{options.run, runs[0]}};
  if (runs.size() == 2) shown.push_back({options.other, runs[1]});
  page.write([&] { return reports::html_page(shown); });
}

}  // namespace

void add_report(command_set& commands) {
  const auto options = std::make_shared<report_options>();
  command report = commands.add("report", "Show where the time of a run went and what limits its speedup");
  report.option("RUN", options->run, "a file that SKUA_REPORT or `skua run --report` wrote").required();
  report.option("OTHER", options->other, "a second such file, to compare with RUN");
  const option json = report.flag("--json", options->json, "print JSON instead of text");
  report.option(
      "--baseline", options->baseline,
      "a run of RUN's program on one worker (SKUA_WORKERS=1): the speedup is then measured, not estimated");
  report.flag("--workers", options->workers, "print a line for each worker, even if there are many");
  report
      .option("-o,--output", options->output,
              "write a page (.html) with charts instead of text; it needs no network")
      .excludes(json);
  report.footer(
      "Exit code: 0, or 2 for bad input.\n"
      "Examples:\n"
      "  skua run heat --report run.json; skua report run.json\n"
      "  SKUA_REPORT=run.json ./program; skua report run.json\n"
      "  skua report before.json after.json\n"
      "  skua report run.json -o report.html");
  report.action([options] {
    const std::vector<observe::run_record> runs = records(*options);
    if (!options->output.empty())
      write_page(*options, runs);
    else if (options->json)
      print_records_json(runs);
    else
      print_records_text(runs, {.workers = options->workers});
    return 0;
  });
}

}  // namespace skua::cli
