// `skua scale`: a workload on ever more workers: how much faster it gets, and where the workers' time goes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include <skua/topology.hpp>

#include "cli/run/chosen_run.hpp"
#include "cli/commands.hpp"
#include "cli/page_file.hpp"
#include "cli/print_json.hpp"
#include "cli/progress_line.hpp"
#include "cli/refusals.hpp"
#include "cli/scale/scale_json.hpp"
#include "cli/scale/scale_plan.hpp"
#include "cli/scale/scale_report.hpp"
#include "cli/workload_choice.hpp"
#include "paper/reading.hpp"
#include "paper/scaling_pages.hpp"

namespace skua::cli {
namespace {

/// Of one run only.
void refuse_files(const run_options& run) {
  for (const auto& [name, file] : {std::pair{"--output", run.output}, std::pair{"--record", run.record}})
    if (!file.empty())
      throw bad_input(fmt::format(
          "{} '{}' would be written by every run; allowed: with skua run; nearest: skua run {} {} {}", name,
          file, run.name, name, file));
}

void check(const scale_options& options) {
  refuse_files(options.run);
  if (options.serial && !options.run.simulate.empty())
    throw bad_input(
        "--serial runs on the machine at hand, and --simulate on another; allowed: one of them; nearest: "
        "without "
        "--serial");
  if (!options.plot.empty() && options.plot == options.run.report)
    throw bad_input(fmt::format("--report and --plot are both '{}'; allowed: two files", options.plot));
}

/// The program without skua.
double serial_seconds(const scale_options& options) {
  const workloads::workload& workload = chosen_workload(options.run.name);
  const auto program = workload.make(chosen_parameters(workload, options.run));
  std::vector<double> seconds;
  const std::int64_t repeat = repeats(options.run, false);
  progress_line line;
  for (std::int64_t i = 0; i <= repeat; ++i) {  // the first to warm up
    line.show(static_cast<std::size_t>(i), static_cast<std::size_t>(repeat + 1), "without skua");
    program->prepare();
    const auto begin = std::chrono::steady_clock::now();
    program->sequential();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const workloads::verdict verdict = program->verify();
    if (!verdict.correct)
      throw std::runtime_error("the serial program's answer is wrong: " + verdict.message);
    if (i > 0) seconds.push_back(took.count());
  }
  return paper::median_of(std::move(seconds));
}

/// On the machine at hand one at a time, for they would take each other's cores.
void run_all(const scale_options& options, const scale_report& report, paper::scaling& all) {
  struct slot {
    paper::scaling_curve* curve;
    paper::scaling_point* point;
  };
  std::vector<slot> slots;
  std::vector<arguments> commands;
  for (paper::scaling_curve& curve : all.curves)
    for (paper::scaling_point& point : curve.points) {
      slots.push_back({&curve, &point});
      commands.push_back(command_of(options, curve.policy, point.workers));
      if (&point == &all.curves.front().points.back())
        for (const std::string& word : report.words()) commands.back().push_back(word);
    }
  progress_line line;
  line.show_runs(0, commands.size());
  const std::vector<own_run> runs = run_ourselves(
      commands, [&](std::size_t done, auto...) { line.show_runs(done, commands.size()); },
      all.simulated ? options.jobs : 1);
  for (std::size_t i = 0; i < runs.size(); ++i) take(runs[i], *slots[i].curve, *slots[i].point);
}

int run_scale(const scale_options& options) {
  check(options);
  page_file plot(options.plot, {".svg", ".html"});
  const scale_report report(options.run.report);
  paper::scaling all = planned(options);
  if (options.serial) all.serial_seconds = serial_seconds(options);
  run_all(options, report, all);
  if (options.run.json)
    print_json_text(json_of(all));
  else
    fmt::print("{}", paper::text_of(all));
  plot.write([&] { return options.plot.ends_with(".svg") ? paper::svg_of(all) : paper::html_of(all); });
  report.write(all.curves.front());
  return 0;
}

}  // namespace

void add_scale(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<scale_options>();
  CLI::App* command =
      app.add_subcommand("scale", "A workload on ever more workers: speedup, and where their time goes");
  add_program_options(*command, options->run);
  command->get_option("--output")->group("");  // known, so that its refusal says what to do, and not offered
  command->add_option(
      "--workers", options->workers,
      "1..8, 1,2,4,8, 1..24:4 or 1..N, N being one a core; else up to N; 1 is always among them");
  command->add_option("--policies", options->policies,
                      "who steals from whom, commas between: \"random, nearest(half)\"; else the usual one");
  add_scheduler_options(*command, options->run);
  add_simulation_options(*command, options->run);
  command->get_option("--record")->group("");
  command->add_flag("--serial", options->serial, "beside the program without skua, too, on this machine");
  command
      ->add_option("-j,--jobs", options->jobs,
                   "with --simulate: runs at a time; else as many as there are CPUs")
      ->check(whole_number(1, 1024));
  command->add_option("--plot", options->plot, "draw it: FILE.svg, or FILE.html with the tables");
  command->add_option("--report", options->run.report,
                      "a file for skua report: the run on the most workers, with all speedups beside it");
  command->add_flag("--json", options->run.json, "JSON instead of text");
  command->footer(
      "Exit code: 0 when every answer was verified, 1 when not, 2 for bad input.\n"
      "Examples:\n"
      "  skua scale heat --size med\n"
      "  skua scale queens --workers 1,2,4,8 --policies \"random, nearest\" --plot queens.html\n"
      "  skua scale heat --report run.json; skua report run.json -o report.html\n"
      "  skua scale strassen --simulate xeon-x7460-4s-dunnington --workers 1..24:6 --policies random");
  command->callback([options, command, &exit_code] {
    refuse_contradictions(*command);
    exit_code = run_scale(*options);
  });
}

}  // namespace skua::cli
