// `skua report`: where the time of a run went and what limits its speedup, from its record.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/whole_file.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/report_records.hpp"
#include "observe/run_record.hpp"
#include "report/json.hpp"
#include "report/lines.hpp"
#include "report/page/page.hpp"
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

std::vector<observe::run_record> records(const report_options& options) {
  std::vector<observe::run_record> all = {read_record(options.run)};
  if (!options.other.empty()) all.push_back(read_record(options.other));
  for (observe::run_record& run : all) add_source_lines(run);
  // Before equal lines are one: loops of two runs are compared by their addresses.
  if (!options.baseline.empty()) add_baseline(all.front(), options.baseline, read_record(options.baseline));
  for (observe::run_record& run : all) reports::merge_equal_lines(run);
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
