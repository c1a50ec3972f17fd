// `skua explain POLICY`: what it does, when it helps, when it hurts, its options, what it costs, its paper.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include <skua/steal_policy.hpp>

#include "cli/commands.hpp"
#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

void paragraph(std::string_view title, std::string_view text) {
  constexpr std::size_t width = 78;
  std::string line = fmt::format("  {:<9}", title);
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (line.size() + word.size() + 1 > width) {
      fmt::print("{}\n", line);
      line = std::string(11, ' ');
    }
    line += line.ends_with(' ') ? "" : " ";
    line += word;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  fmt::print("{}\n", line);
}

void explain_text(const policy_info& policy) {
  fmt::print("{}: {}\n\n", policy.name, policy.summary);
  paragraph("what", policy.what);
  paragraph("helps", policy.helps);
  paragraph("hurts", policy.hurts);
  paragraph("a fork", policy.cost);
  paragraph("paper", policy.paper);
  if (policy.options.empty()) return;
  fmt::print("\n  options, as in {}({}={})\n", policy.name, policy.options[0].name,
             policy.options[0].otherwise);
  for (const policy_option& option : policy.options) {
    fmt::print("  {}={}: {}\n", option.name, option.otherwise, allowed_values(option));
    paragraph("", option.about);
  }
}

nlohmann::ordered_json explain_json(const policy_info& policy) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const policy_option& option : policy.options)
    options.push_back({{"name", option.name},
                       {"default", option.otherwise},
                       {"allowed", allowed_values(option)},
                       {"about", option.about}});
  return {{"name", policy.name},   {"summary", policy.summary}, {"what", policy.what},
          {"helps", policy.helps}, {"hurts", policy.hurts},     {"fork", policy.cost},
          {"paper", policy.paper}, {"options", options}};
}

const policy_info& named(std::string_view name) {
  for (const policy_info* policy : policies())
    if (policy->name == name) return *policy;
  make_policy(name);  // throws the sentence for a name that does not exist
  throw bad_input(fmt::format("'{}' has options; explain takes the bare name", name));
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  struct explain_options {
    std::string policy;
    bool json = false;
  };
  auto options = std::make_shared<explain_options>();
  CLI::App* command =
      app.add_subcommand("explain", "What a policy does, when it helps and hurts, its options, its paper");
  command->add_option("POLICY", options->policy, "a name from skua list policies")->required();
  command->add_flag("--json", options->json, "JSON instead of text");
  command->footer("Example:\n  skua explain most_loaded");
  command->callback([options, &exit_code] {
    const policy_info& policy = named(options->policy);
    if (options->json)
      fmt::print("{}\n", explain_json(policy).dump(2));
    else
      explain_text(policy);
    exit_code = 0;
  });
}

}  // namespace skua::cli
