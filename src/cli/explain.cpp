// `skua explain POLICY`: what it does, when it helps, when it hurts, its options, what it costs, its paper; and the
// same as a page of docs/policies/.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>

#include <skua/steal_policy.hpp>

#include "cli/commands.hpp"
#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

/// Prints a text in lines of at most `width`: the first begins with `first`, all others with as many blanks as `indent`.
void wrapped(std::string first, std::string_view text, std::size_t indent, std::size_t width) {
  std::string line = std::move(first);
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (line.size() > indent && line.size() + word.size() + 1 > width) {
      fmt::print("{}\n", line);
      line = std::string(indent, ' ');
    }
    line += line.empty() || line.ends_with(' ') ? "" : " ";
    line += word;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  fmt::print("{}\n", line);
}

/// Without the line ends at its ends.
std::string_view drawing_of(const policy_info& policy) {
  std::string_view drawing = policy.drawing;
  while (drawing.starts_with('\n')) drawing.remove_prefix(1);
  while (drawing.ends_with('\n')) drawing.remove_suffix(1);
  return drawing;
}

/// Its name with every option as it is by default; the bare name where there are no options.
std::string with_defaults(const policy_info& policy) {
  std::string text;
  for (const policy_option& option : policy.options)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", option.name, option.default_value);
  return text.empty() ? std::string(policy.name) : fmt::format("{}({})", policy.name, text);
}

// ---- for a terminal

void paragraph(std::string_view title, std::string_view text) {
  if (!text.empty()) wrapped(fmt::format("  {:<9}", title), text, 11, 78);
}

void draw(std::string_view drawing) {
  if (drawing.empty()) return;
  for (;;) {
    const std::size_t end = drawing.find('\n');
    const std::string_view line = drawing.substr(0, end);
    fmt::print("{}{}\n", line.empty() ? "" : "  ", line);
    if (end == std::string_view::npos) break;
    drawing.remove_prefix(end + 1);
  }
  fmt::print("\n");
}

void explain_text(const policy_info& policy) {
  fmt::print("{}: {}\n\n", policy.name, policy.summary);
  draw(drawing_of(policy));
  paragraph("what", policy.what);
  paragraph("helps", policy.helps);
  paragraph("hurts", policy.hurts);
  paragraph("a fork", policy.cost);
  paragraph("paper", policy.paper);
  if (policy.options.empty()) return;
  fmt::print("\n  options, as in {}({}={})\n", policy.name, policy.options[0].name,
             policy.options[0].default_value);
  for (const policy_option& option : policy.options) {
    fmt::print("  {}={}: {}\n", option.name, option.default_value, allowed_values(option));
    paragraph("", option.about);
  }
}

// ---- for docs/policies/

std::string sentence(std::string_view text) {
  std::string made(text);
  if (!made.empty()) made[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(made[0])));
  if (!made.empty() && made.back() != '.') made += '.';
  return made;
}

void section(std::string_view title, std::string_view text) {
  fmt::print("\n## {}\n\n", title);
  wrapped("", sentence(text), 0, 120);
}

void explain_markdown(const policy_info& policy) {
  fmt::print("<!-- Written by `make docs` from src/policies/{}.cpp. -->\n# {}\n\n", policy.name, policy.name);
  wrapped("", sentence(policy.summary), 0, 120);
  section("What it does", policy.what);
  fmt::print("\n```text\n{}\n```\n", drawing_of(policy));
  section("When it helps", policy.helps);
  section("When it hurts", policy.hurts);
  fmt::print("\n## Options\n\n");
  if (policy.options.empty()) {
    fmt::print("None.\n");
  } else {
    fmt::print("| option | default | allowed | |\n|---|---|---|---|\n");
    for (const policy_option& option : policy.options)
      fmt::print("| `{}` | `{}` | {} | {} |\n", option.name, option.default_value, allowed_values(option),
                 option.about);
  }
  section("What it costs a fork", policy.cost);
  const std::string text = with_defaults(policy);
  fmt::print("\n## How to choose it\n\n{}",
             policy.options.empty() ? "" : "With its defaults written out:\n\n");
  fmt::print("```sh\nskua run heat --policy \"{}\"\nSKUA_POLICY=\"{}\" ./program\n```\n\n", text, text);
  fmt::print("```cpp\nskua::scheduler pool({{.policy = \"{}\"}});\n```\n", text);
  section("Paper", policy.paper);
  fmt::print("\n[The papers](../papers.md) and [the other policies](README.md).\n");
}

nlohmann::ordered_json explain_json(const policy_info& policy) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const policy_option& option : policy.options)
    options.push_back({{"name", option.name},
                       {"default", option.default_value},
                       {"allowed", allowed_values(option)},
                       {"about", option.about}});
  return {{"name", policy.name},   {"summary", policy.summary}, {"what", policy.what},
          {"helps", policy.helps}, {"hurts", policy.hurts},     {"fork", policy.cost},
          {"paper", policy.paper}, {"options", options},        {"drawing", drawing_of(policy)}};
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
    bool json = false, markdown = false;
  };
  auto options = std::make_shared<explain_options>();
  CLI::App* command =
      app.add_subcommand("explain", "What a policy does, when it helps and hurts, its options, its paper");
  command->add_option("POLICY", options->policy, "a name from skua list policies")->required();
  CLI::Option* json = command->add_flag("--json", options->json, "JSON instead of text");
  command->add_flag("--markdown", options->markdown, "its page of docs/policies/ instead of text")
      ->excludes(json);
  command->footer("Example:\n  skua explain most_loaded");
  command->callback([options, &exit_code] {
    const policy_info& policy = named(options->policy);
    if (options->json)
      fmt::print("{}\n", explain_json(policy).dump(2));
    else if (options->markdown)
      explain_markdown(policy);
    else
      explain_text(policy);
    exit_code = 0;
  });
}

}  // namespace skua::cli
