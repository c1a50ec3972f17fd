// `skua tune ./program ARGUMENT...`: runs a program under the policy auto, keeps what it finds for later runs (SKUA_LEARNT),
// and prints it.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/program_runs.hpp"
#include "cli/progress_line.hpp"
#include "report/lines.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

struct tune_options {
  std::string program;
  skua::cli::arguments arguments;
  std::string file = "skua.learnt";
  std::size_t runs = 3;
  std::string workers, simulate;
  bool measured = false, json = false;
};

using observe::choice_record;

bool is_same_place(const choice_record& a, const choice_record& b) {
  return a.address == b.address && a.kind == b.kind && a.size_bits == b.size_bits;
}

/// Nanoseconds for an iteration; nothing if the policy was not measured.
std::optional<double> time_under(const std::string& policy, const choice_record& at) {
  const auto found = std::ranges::find(at.tried, policy, &observe::tried_policy_record::policy);
  return found == at.tried.end() ? std::nullopt : std::optional(found->ns);
}

/// A place of the last run that has it, with what earlier runs have measured there.
struct tuned_place {
  choice_record last;
  std::optional<double> ns, nearest_ns;
};

std::vector<tuned_place> places_of(const std::vector<observe::run_record>& runs) {
  std::vector<tuned_place> all;
  for (const observe::run_record& run : runs)
    for (const choice_record& one : run.choices) {
      auto at =
          std::ranges::find_if(all, [&](const tuned_place& known) { return is_same_place(known.last, one); });
      if (at == all.end()) at = all.insert(all.end(), tuned_place{});
      at->last = one;
      if (const auto ns = time_under(one.policy, one)) at->ns = ns;
      if (const auto ns = time_under("nearest", one)) at->nearest_ns = ns;
    }
  std::ranges::stable_sort(all, std::greater{}, [](const tuned_place& one) { return one.last.total_ns; });
  return all;
}

std::string text_of(const std::vector<tuned_place>& places) {
  std::vector<std::vector<std::string>> rows = {
      {"place", "", "runs", "policy", "an iteration", "under nearest", ""}};
  for (const tuned_place& one : places) {
    const choice_record& it = one.last;
    const std::string size = it.size_bits < 2 ? "" : fmt::format(" of size 2^{}", it.size_bits - 1);
    rows.push_back({reports::without_arguments(it.name), it.kind + size, std::to_string(it.episodes),
                    it.policy, one.ns ? base::duration(*one.ns) : "-",
                    one.nearest_ns ? base::duration(*one.nearest_ns) : "-",
                    it.stage == "decided" ? "" : it.stage});
  }
  return reports::table(rows);
}

nlohmann::ordered_json json_of(const tune_options& options, std::size_t workers,
                               const std::vector<tuned_place>& places) {
  nlohmann::ordered_json all = {{"program", options.program}, {"arguments", options.arguments},
                                {"file", options.file},       {"runs", options.runs},
                                {"workers", workers},         {"places", nlohmann::ordered_json::array()}};
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  for (const tuned_place& one : places)
    all["places"].push_back({{"name", one.last.name},
                             {"address", one.last.address},
                             {"file", one.last.file},
                             {"kind", one.last.kind},
                             {"size_bits", one.last.size_bits},
                             {"policy", one.last.policy},
                             {"stage", one.last.stage},
                             {"episodes", one.last.episodes},
                             {"ns", number(one.ns)},
                             {"nearest_ns", number(one.nearest_ns)},
                             {"total_ns", one.last.total_ns},
                             {"lost_ns", one.last.lost_ns}});
  return all;
}

std::size_t workers_of(const tune_options& options) {
  const topology machine =
      options.simulate.empty() ? topology::host() : simulator::find_machine(options.simulate).machine;
  return options.workers.empty() ? machine.default_workers()
                                 : static_cast<std::size_t>(std::stoll(options.workers));
}

/// One after the other: each run begins with what the last one has found.
std::vector<observe::run_record> run_all(const tune_options& options, std::size_t workers) {
  const program_command command{.program = options.program,
                                .arguments = options.arguments,
                                .workers = workers,
                                .policy = "auto",
                                .simulate = options.simulate,
                                .learnt = std::filesystem::absolute(options.file).string(),
                                .measured = options.measured};
  progress_line line;
  const std::vector<program_command> commands(options.runs, command);
  const std::vector<program_run> runs =
      run_programs(commands, [&](std::size_t done) { line.show_runs(done, options.runs); }, 1);
  std::vector<observe::run_record> records;
  for (const program_run& run : runs) records.push_back(record_of(command, run));
  return records;
}

int run_tune(const tune_options& options) {
  check_program(options.program);
  check_can_write("--output", options.file);
  const std::size_t workers = workers_of(options);
  const std::vector<tuned_place> places = places_of(run_all(options, workers));
  if (options.json) {
    print_json_text(json_of(options, workers, places));
  } else if (places.empty()) {
    fmt::print(
        "There is nothing to choose: on a machine with one domain auto always uses nearest, or the program "
        "has no call, "
        "region or loop outside of others.\n");
  } else {
    fmt::print(
        "{} of {} on {}, policy auto; the last run of each place:\n\n{}\nSKUA_POLICY=auto SKUA_LEARNT={} "
        "uses it.\n",
        base::counted(options.runs, "run"), options.program, base::counted(workers, "worker"),
        text_of(places), options.file);
  }
  return 0;
}

}  // namespace

void add_tune(command_set& commands) {
  const auto options = std::make_shared<tune_options>();
  command tune = commands.add(
      "tune", "Run a program some times, and save the fastest policy of each call site for later runs");
  tune.option("PROGRAM", options->program, "the path of a program that uses skua").required();
  tune.option("ARGUMENT", options->arguments, "arguments of the program, after -- if they begin with -");
  tune.option("-o,--output", options->file,
              "the file for the results; it keeps the results of earlier runs (default: skua.learnt)");
  tune.option("--runs", options->runs, "number of runs (default: 3)").check(whole_number(1, 1000));
  tune.option("--workers", options->workers, "number of workers (default: one per core)")
      .check(whole_number(1, max_workers));
  tune.option("--simulate", options->simulate,
              "run on this simulated machine: a name from skua machines, or a file");
  tune.flag("--measured", options->measured,
            "with --simulate: tasks take as long as on this machine, not as long as they declare "
            "(skua/declare.hpp)");
  tune.flag("--json", options->json, "print JSON instead of text");
  tune.footer(
      "To use the results, run the program with SKUA_POLICY=auto and SKUA_LEARNT=FILE, on the same machine "
      "and with the same number of workers.\n"
      "Exit code: 0 when all runs succeeded, 1 when a run failed, 2 for bad input.\n"
      "Examples:\n"
      "  skua tune ./program ARGUMENT...\n"
      "  skua tune --output program.learnt -- ./program --size 1000\n"
      "  SKUA_POLICY=auto SKUA_LEARNT=skua.learnt ./program ARGUMENT...");
  tune.action([options] {
    if (options->measured && options->simulate.empty())
      throw bad_input("--measured is for simulated machines; allowed: together with --simulate");
    return run_tune(*options);
  });
}

}  // namespace skua::cli
