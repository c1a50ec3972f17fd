// `skua list`: what there is to run, and by which policies.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include <skua/steal_policy.hpp>

#include "cli/commands.hpp"
#include "cli/refusals.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {
namespace {

void list_workloads() {
  for (const workloads::workload* w : workloads::all()) {
    fmt::print("{:<16} {}\n", w->name, w->summary);
    fmt::print("{:<16}   ci: {}; med: {}; paper: {}\n", "", w->ci, w->med, w->paper);
    for (const workloads::option& o : w->options)
      fmt::print("{:<16}   {}={}: {}\n", "", o.name, o.allowed, o.about);
  }
}

nlohmann::ordered_json workloads_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const workloads::workload* w : workloads::all()) {
    nlohmann::ordered_json options = nlohmann::ordered_json::array();
    for (const workloads::option& o : w->options)
      options.push_back({{"name", o.name}, {"allowed", o.allowed}, {"about", o.about}});
    list.push_back({{"name", w->name},
                    {"summary", w->summary},
                    {"sizes", {{"ci", w->ci}, {"med", w->med}, {"paper", w->paper}}},
                    {"options", std::move(options)}});
  }
  return list;
}

nlohmann::ordered_json policies_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const policy_info* policy : policies())
    list.push_back({{"name", policy->name}, {"summary", policy->summary}});
  return list;
}

void list(bool all_workloads, bool json) {
  if (json)
    fmt::print("{}\n", (all_workloads ? workloads_json() : policies_json()).dump(2));
  else if (all_workloads)
    list_workloads();
  else
    for (const policy_info* policy : policies()) fmt::print("{:<16} {}\n", policy->name, policy->summary);
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  struct list_options {
    std::string what;
    bool json = false;
  };
  auto options = std::make_shared<list_options>();
  CLI::App* command = app.add_subcommand("list", "List the workloads and their options, or the policies");
  command->add_option("WHAT", options->what, "workloads or policies")
      ->required()
      ->check(one_of({"workloads", "policies"}));
  command->add_flag("--json", options->json, "JSON instead of text");
  command->footer("Example:\n  skua list workloads");
  command->callback([options, &exit_code] {
    list(options->what == "workloads", options->json);
    exit_code = 0;
  });
}

}  // namespace skua::cli
