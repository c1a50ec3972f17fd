// `skua scale`: a workload or a program on increasing numbers of workers: its speedup, and where the workers' time goes.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <skua/topology.hpp>

#include "base/process.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/program_runs.hpp"
#include "cli/progress_line.hpp"
#include "cli/scale/scale_plan.hpp"
#include "cli/workload_choice.hpp"
#include "observe/run_record.hpp"
#include "paper/band.hpp"
#include "paper/scaling.hpp"

namespace skua::cli {
namespace {

/// The record that --report writes: of the first policy's run on the maximum number of workers, with the times of its other
/// runs.
///
///   scale_report report(path);              // checks that the file can be written, before anything runs
///   command.insert(..., report.words());    // for the one run that leaves its record
///   report.write(curve);                    // when all runs have ended
class scale_report {
 public:
  /// An empty path: nothing is written. Throws bad_input for a file that cannot be written.
  explicit scale_report(const std::string& path);

  /// Further arguments of that run; none where nothing is written.
  arguments words() const;
  /// `text`: the record of that run, if it is known; else what the run has written.
  void write(const paper::scaling_curve& curve, std::string text) const;

 private:
  std::string path_;
  std::optional<memory_file> memory_;  // the run writes its record here
};

scale_report::scale_report(const std::string& path) : path_(path) {
  if (path.empty()) return;
  check_can_write("--report", path);
  memory_.emplace();
}

arguments scale_report::words() const {
  if (path_.empty()) return {};
  return {"--report", memory_->name(), "--no-baseline"};
}

void scale_report::write(const paper::scaling_curve& curve, std::string text) const {
  if (path_.empty()) return;
  if (text.empty()) text = memory_->text();
  observe::run_record record = observe::read_run_record(text, "the run's record");
  record.program = base::command_line();
  for (const paper::scaling_point& point : curve.points)
    record.curve.push_back({.workers = point.workers, .seconds = scaled_at(curve, point).seconds});
  if (record.curve.size() > 1)
    record.baseline = observe::baseline_record{.seconds = record.curve.front().seconds,
                                               .parallel_seconds = record.curve.back().seconds};
  write_file("--report", path_, observe::to_json(record));
}

/// Files that only one run can write.
void refuse_files(const run_options& run) {
  for (const auto& [name, file] : {std::pair{"--output", run.output}, std::pair{"--record", run.record}})
    if (!file.empty())
      throw bad_input(
          fmt::format("every run would write {} '{}'; allowed: with skua run; nearest: skua run {} {} {}",
                      name, file, run.name, name, file));
}

void check(const scale_options& options) {
  refuse_files(options.run);
  if (options.serial && !options.run.simulate.empty())
    throw bad_input(
        "--serial runs on this machine, --simulate on another; allowed: one of them; nearest: without "
        "--serial");
  if (!options.plot.empty() && options.plot == options.run.report)
    throw bad_input(fmt::format("--report and --plot are both '{}'; allowed: two files", options.plot));
}

/// The median time of the serial program.
double serial_seconds(const scale_options& options) {
  const workloads::workload& workload = chosen_workload(options.run.name);
  const auto program = workload.make(chosen_parameters(workload, options.run));
  std::vector<double> seconds;
  const std::int64_t repeat = repeats(options.run, false);
  progress_line line;
  for (std::int64_t i = 0; i <= repeat; ++i) {  // the first one warms up
    line.show(static_cast<std::size_t>(i), static_cast<std::size_t>(repeat + 1), "serial program");
    program->prepare();
    const auto begin = std::chrono::steady_clock::now();
    program->sequential();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const workloads::answer_check check = program->verify();
    if (!check.correct) throw std::runtime_error("the serial program's answer is wrong: " + check.message);
    if (i > 0) seconds.push_back(took.count());
  }
  return paper::median_of(std::move(seconds));
}

/// On this machine the runs follow each other: two at a time would take each other's cores.
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
  if (options.run.measured && options.run.replay.empty()) say_that_times_are_measured();
  if (options.serial) all.serial_seconds = serial_seconds(options);
  std::string record;
  if (is_program(options.run.name)) {
    progress_line line;
    record =
        measure_program(options, all, [&](std::size_t done, std::size_t of) { line.show_runs(done, of); });
  } else {
    run_all(options, report, all);
  }
  if (options.run.json)
    print_json(all);
  else
    fmt::print("{}", paper::text_of(all));
  plot.write([&] { return options.plot.ends_with(".svg") ? paper::svg_of(all) : paper::html_of(all); });
  report.write(all.curves.front(), std::move(record));
  return 0;
}

}  // namespace

void add_scale(command_set& commands) {
  const auto options = std::make_shared<scale_options>();
  command scale = commands.add(
      "scale",
      "Run a workload or a program on increasing numbers of workers: speedup, and where their time goes");
  add_program_options(scale, options->run);
  scale.named("NAME").describe("the workload (skua list workloads), or the path of a program that uses skua");
  scale.named("OPTION=VALUE").describe("options of the workload, or arguments of the program");
  scale.named("--output").hidden();  // accepted, so that the refusal can say what to do
  scale.option(
      "--workers", options->workers,
      "1..8, 1,2,4,8, 1..24:4 or 1..N, where N is one per core (default: 1 to N); 1 is always included");
  scale.option("--policies", options->policies,
               "steal policies, separated by commas: \"random, nearest(half)\" (default: the scheduler's)");
  add_scheduler_options(scale, options->run);
  add_simulation_options(scale, options->run);
  scale.named("--record").hidden();
  scale.flag("--serial", options->serial, "also run the serial program, and compare with its time");
  scale.option("-j,--jobs", options->jobs, "with --simulate: number of runs at a time (default: one per CPU)")
      .check(whole_number(1, 1024));
  scale.option("--plot", options->plot, "draw the curves: FILE.svg, or FILE.html with the tables");
  scale.option(
      "--report", options->run.report,
      "write a report of the run on the most workers, with all speedups, to this file, for skua report");
  scale.flag("--json", options->run.json, "print JSON instead of text");
  scale.footer(
      "Exit code: 0 when every answer was verified, 1 when not, 2 for bad input.\n"
      "Examples:\n"
      "  skua scale heat --size med\n"
      "  skua scale ./program --workers 1..N -- ARGUMENT...\n"
      "  skua scale queens --workers 1,2,4,8 --policies \"random, nearest\" --plot queens.html\n"
      "  skua scale heat --report run.json; skua report run.json -o report.html\n"
      "  skua scale strassen --simulate xeon-x7460-4s-dunnington --workers 1..24:6 --policies random");
  scale.action([options, scale] {
    refuse_contradictions(scale, options->run);
    if (is_program(options->run.name)) check_program(scale, *options);
    return run_scale(*options);
  });
}

}  // namespace skua::cli
