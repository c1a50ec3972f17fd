#include "cli/calibrate/calibrate.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/progress_line.hpp"
#include "cli/topo/measure_distances.hpp"

namespace skua::cli {
namespace {

struct calibrate_options {
  std::string output, check;
  bool json = false;
};

calibration measure(const simulator::machine_model& host) {
  calibration found;
  progress_line line;  // for each part separately, since the duration depends on the machine
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
  if (!options.output.empty()) write(options.output, "");  // refused before the measurement
  const calibration found = measure(host);
  const std::string text = machine_text(host, found);
  if (const std::string part = unmeasured_part(host, found.memory); !part.empty())
    fmt::print(stderr, "skua: {}\n", part);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  write(options.output, text);
  const simulator::machine_model read = simulator::find_machine(options.output);
  if (!options.json) {
    for (const simulator::value_source& one : read.sources)
      if (one.source.starts_with("measured")) fmt::print("{:<44} {:>10}\n", one.name, one.value);
    fmt::print("Written to {}; use it with --simulate or SKUA_SIMULATE, and check it with --check.\n",
               options.output);
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace

void add_calibrate(command_set& commands) {
  const auto options = std::make_shared<calibrate_options>();
  command tool = commands.add("calibrate", "Measure this machine and write a machine file for simulations");
  const option check = tool.option(
      "--check", options->check, "compare simulated and real times of ten workloads with this machine file");
  tool.option("-o,--output", options->output, "the machine file (.json) to write (default: print it)")
      .excludes(check);
  tool.flag("--json", options->json, "print JSON instead of text");
  tool.footer(
      "Takes half a minute on an otherwise idle machine. --check takes some minutes.\n"
      "Examples:\n"
      "  skua calibrate -o this-machine.json\n"
      "  skua run heat --simulate this-machine.json --workers 2\n"
      "  skua calibrate --check this-machine.json");
  tool.action([options] {
    return options->check.empty() ? calibrate(*options) : check_calibration(options->check, options->json);
  });
}

}  // namespace skua::cli
