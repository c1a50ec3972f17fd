// `skua calibrate`: measures this machine by microbenchmarks and writes a machine file for simulations; with --check,
// compares simulated with real times of ten workloads on such a file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>

#include "cli/calibrate/calibrated_machine.hpp"
#include "cli/calibrate/calibration_check.hpp"
#include "cli/commands.hpp"
#include "cli/topo/measure_distances.hpp"
#include "cli/calibrate/measure_runtime.hpp"
#include "cli/progress_line.hpp"

namespace skua::cli {
namespace {

struct calibrate_options {
  std::string output, check;
  bool json = false;
};

calibration measure(const simulator::machine_model& host) {
  calibration found;
  progress_line line;  // of each part by itself: how long it takes depends on the machine
  line.show(0.0, "measuring memory, 1 of 3");
  found.memory = measure_memory(host, [&](double done) { line.show(done, "measuring memory, 1 of 3"); });
  line.clear();
  line.show("measuring kernel and forks, 2 of 3");
  found.runtime = measure_runtime(host, found.memory.cycle_ns);
  line.clear();
  if (host.cores > 1)
    found.transfer_ns = measure_distances(host.machine, [&](double done) {
                          line.show(done, "measuring distances, 3 of 3");
                        }).min;
  return found;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  if (!file.flush())
    throw bad_input(fmt::format("--output '{}' cannot be written; allowed: a file in a folder that exists",
                                path.substr(0, 200)));
}

int calibrate(const calibrate_options& options) {
  const simulator::machine_model host = simulator::find_machine("host");
  check_regular(host);
  if (!options.output.empty()) write(options.output, "");  // before anything is measured
  const std::string text = machine_text(host, measure(host));
  if (options.output.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  write(options.output, text);
  const simulator::machine_model read = simulator::find_machine(options.output);
  if (!options.json) {
    for (const simulator::value_source& one : read.sources)
      if (one.source.starts_with("measured")) fmt::print("{:<44} {:>10}\n", one.name, one.value);
    fmt::print("Written to {}; use it with --simulate or SKUA_SIMULATE, compare it with --check.\n",
               options.output);
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<calibrate_options>();
  CLI::App* command =
      app.add_subcommand("calibrate", "Measure this machine and write a machine file for simulations");
  CLI::Option* const check = command->add_option(
      "--check", options->check, "compare simulated and real times of ten workloads on this machine file");
  command->add_option("-o,--output", options->output, "the file (.json); without it the text is printed")
      ->excludes(check);
  command->add_flag("--json", options->json, "JSON instead of text");
  command->footer(
      "Takes half a minute, and a quiet machine. --check takes some minutes.\n"
      "Examples:\n"
      "  skua calibrate -o this-machine.json\n"
      "  skua run heat --simulate this-machine.json --workers 2\n"
      "  skua calibrate --check this-machine.json");
  command->callback([options, &exit_code] {
    exit_code =
        options->check.empty() ? calibrate(*options) : check_calibration(options->check, options->json);
  });
}

}  // namespace skua::cli
