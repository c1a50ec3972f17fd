// `skua list`: the workloads and the policies. `skua explain`: what a policy does, when it helps and hurts, its options,
// cost and paper; with --markdown as a page of docs/policies/.
#include <fmt/core.h>

#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>

#include <skua/steal_policy.hpp>

#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {
namespace {

// ---- list

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

void list_policies() {
  for (const policy_info* policy : policies()) fmt::print("{:<16} {}\n", policy->name, policy->summary);
}

nlohmann::ordered_json policies_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const policy_info* policy : policies())
    list.push_back({{"name", policy->name}, {"summary", policy->summary}});
  return list;
}

// ---- explain

/// Prints a text in lines of at most `width` characters. The first line begins with `first`, the others with `indent` blanks.
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

/// Without empty lines at its beginning and end.
std::string_view drawing_of(const policy_info& policy) {
  std::string_view drawing = policy.drawing;
  while (drawing.starts_with('\n')) drawing.remove_prefix(1);
  while (drawing.ends_with('\n')) drawing.remove_suffix(1);
  return drawing;
}

/// Its name with the default of every option; only the name where there are no options.
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
  check_policy(name);
  throw bad_input(fmt::format("'{}' has options; allowed: the name of a policy without options", name));
}

}  // namespace

void add_list(command_set& commands) {
  struct list_options {
    std::string what;
    bool json = false;
  };
  const auto options = std::make_shared<list_options>();
  command list = commands.add("list", "List the workloads and their options, or the policies");
  list.option("WHAT", options->what, "workloads or policies")
      .required()
      .check(one_of({"workloads", "policies"}));
  list.flag("--json", options->json, "print JSON instead of text");
  list.footer("Example:\n  skua list workloads");
  list.action([options] {
    const bool of_workloads = options->what == "workloads";
    if (options->json)
      print_json_text(of_workloads ? workloads_json() : policies_json());
    else
      of_workloads ? list_workloads() : list_policies();
    return 0;
  });
}

void add_explain(command_set& commands) {
  struct explain_options {
    std::string policy;
    bool json = false, markdown = false;
  };
  const auto options = std::make_shared<explain_options>();
  command explain = commands.add(
      "explain", "Describe a policy: what it does, when it helps or hurts, its options and its paper");
  explain.option("POLICY", options->policy, "a name from skua list policies").required();
  const option json = explain.flag("--json", options->json, "print JSON instead of text");
  explain.flag("--markdown", options->markdown, "print its page of docs/policies/ instead of text")
      .excludes(json);
  explain.footer("Example:\n  skua explain most_loaded");
  explain.action([options] {
    const policy_info& policy = named(options->policy);
    if (options->json)
      print_json_text(explain_json(policy));
    else if (options->markdown)
      explain_markdown(policy);
    else
      explain_text(policy);
    return 0;
  });
}

}  // namespace skua::cli
