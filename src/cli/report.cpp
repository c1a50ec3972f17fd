// `skua report`: what a run's record says, and what limits it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <skua/topology.hpp>

#include "cli/commands.hpp"
#include "cli/page_file.hpp"
#include "cli/print_json.hpp"
#include "observe/run_record.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/text.hpp"
#include "base/text_file.hpp"

namespace skua::cli {
namespace {

struct report_options {
  std::string run, other, output, baseline;
  bool json = false, workers = false;
};

observe::run_record read_record(const std::string& path) {
  return observe::read_run_record(
      detail::text_of_file(path, "a file that SKUA_REPORT or `skua run --report` has written"), path);
}

/// Of the command line, without its folders.
std::string program_of(const observe::run_record& run) {
  const std::string file = run.program.substr(0, run.program.find(' '));
  return file.substr(file.rfind('/') + 1);
}

/// A run on one worker tells how long the same work takes there: of all that was inside, as in the other record.
void put_beside(observe::run_record& run, const std::string& path) {
  const observe::run_record one = read_record(path);
  if (one.workers.size() != 1)
    throw bad_input(fmt::format("--baseline '{}' is of {} workers; allowed: a run of the same program on one",
                                path, one.workers.size()));
  if (program_of(one) != program_of(run))
    throw bad_input(fmt::format(
        "--baseline '{}' is of the program '{}'; allowed: a run on one worker of the same one, '{}'", path,
        program_of(one), program_of(run)));
  run.baseline =
      observe::baseline_record{.seconds = one.inside_seconds, .parallel_seconds = run.inside_seconds};
}

std::vector<observe::run_record> records(const report_options& options) {
  std::vector<observe::run_record> all = {read_record(options.run)};
  if (!options.baseline.empty()) put_beside(all.front(), options.baseline);
  if (!options.other.empty()) all.push_back(read_record(options.other));
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

// Opened when the records are read: a wrong one must not cost an old page.
void write_page(const report_options& options, const std::vector<observe::run_record>& runs) {
  page_file page(options.output, {".html"});
  std::vector<reports::shown_run> shown = {{options.run, runs[0]}};
  if (runs.size() == 2) shown.push_back({options.other, runs[1]});
  page.write([&] { return reports::html_page(shown); });
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<report_options>();
  CLI::App* command = app.add_subcommand("report", "Say where a run's time went, and what limits it");
  command->add_option("RUN", options->run, "a file that SKUA_REPORT or `skua run --report` has written")
      ->required();
  command->add_option("OTHER", options->other, "another one, to be put beside");
  CLI::Option* json = command->add_flag("--json", options->json, "JSON instead of text");
  command->add_option("--baseline", options->baseline,
                      "RUN's program on one worker (SKUA_WORKERS=1): then the speedup is measured");
  command->add_flag("--workers", options->workers, "a line for each worker, also when there are many");
  command
      ->add_option("-o,--output", options->output,
                   "a page (.html) with charts instead of text; it needs no network")
      ->excludes(json);
  command->footer(
      "Exit code: 0, or 2 for bad input.\n"
      "Examples:\n"
      "  skua run heat --report run.json; skua report run.json\n"
      "  SKUA_REPORT=run.json ./program; skua report run.json\n"
      "  skua report before.json after.json\n"
      "  skua report run.json -o report.html");
  command->callback([options, &exit_code] {
    const std::vector<observe::run_record> runs = records(*options);
    if (!options->output.empty())
      write_page(*options, runs);
    else if (options->json)
      print_records_json(runs);
    else
      print_records_text(runs, {.workers = options->workers});
    exit_code = 0;
  });
}

}  // namespace skua::cli
