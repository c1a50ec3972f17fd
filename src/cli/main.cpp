// `skua`, the command line tool. It finds the subcommand and turns every error into one line and an exit code.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

#include "cli/command_line.hpp"
#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

constexpr int failed = 1, bad = 2;

// A new subcommand needs a file, a line in command_line.hpp and one here.
constexpr void (*add_commands[])(command_set&) = {
    add_run,   add_list,    add_explain, add_topo, add_machines, add_calibrate, add_bench,
    add_paper, add_compare, add_scale,   add_fuzz, add_report,   add_tune,
};

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      if (!option->get_group().empty()) names.push_back("--" + name);  // else --help does not show it
  return names;
}

/// The message for an unexpected word.
std::string unexpected(std::string_view word, const CLI::App& command) {
  if (!word.starts_with('-'))
    return fmt::format("'{}' is not expected; see skua {} --help", word, command.get_name());
  const std::vector<std::string> names = option_names(command);
  return no_such("option", word.substr(0, word.find('=')), {names.begin(), names.end()});
}

/// The message for an error of the parser.
std::string sentence(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error)) return text;
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> words = app.remaining(true);
    const auto option =
        std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
    if (!words.empty()) return unexpected(option != words.end() ? *option : words.front(), command);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return fmt::format("{} needs one value; see skua {} --help", text.substr(0, text.find(':')),
                       command.get_name());
  return fmt::format("{}; see skua {} --help", text, command.get_name());
}

int refuse(std::string_view sentence, int exit_code) {
  fmt::print(stderr, "skua: {}\n", sentence);
  return exit_code;
}

/// Returns the message for a wrong first word, or an empty text.
std::string wrong_first_word(std::string_view first, CLI::App& app) {
  const std::vector<std::string> names = command_names(app);
  if (first.empty()) return fmt::format("a subcommand is missing; allowed: {}", fmt::join(names, ", "));
  if (first == "-h") return {};
  const std::vector<std::string> allowed = first.starts_with('-') ? option_names(app) : names;
  if (std::ranges::find(allowed, first) != allowed.end()) return {};
  return no_such(first.starts_with('-') ? "option" : "subcommand", first, {allowed.begin(), allowed.end()});
}

/// No value may be empty. Options with a check of their own have a better message.
void refuse_empty_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands(nullptr))
    for (CLI::Option* option : command->get_options())
      option->check([see = command->get_name()](const std::string& value) {
        return value.empty() ? fmt::format("is empty; see skua {} --help", see) : std::string();
      });
}

struct renamed_option {
  std::string_view old_name, name;
};
constexpr renamed_option renamed_options[] = {{"--own", "--own-order"}, {"--damage", "--corrupt-result"}};

/// Replaces old names of options by the new ones, and says so.
std::vector<std::string> with_new_names(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (std::string& word : words)
    for (const auto& [old_name, name] : renamed_options)
      if (word.substr(0, word.find('=')) == old_name) {
        fmt::print(stderr, "skua: {} is now called {}\n", old_name, name);
        word.replace(0, old_name.size(), name);
      }
  return words;
}

int run_tool(std::vector<std::string> words) {
  int exit_code = failed;
  CLI::App app("The tool of skua, a work-stealing runtime for C++20", "skua");
  app.set_version_flag("--version", "skua " SKUA_VERSION);
  app.require_subcommand(1);
  app.footer("Example:\n  skua run heat --size med --workers 2");
  command_set commands(app, exit_code);
  for (const auto add_command : add_commands) add_command(commands);
  refuse_empty_values(app);

  const std::string wrong = wrong_first_word(words.size() > 1 ? words[1] : "", app);
  if (!wrong.empty()) return refuse(wrong, bad);
  try {
    words.erase(words.begin());                // the program
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return refuse(sentence(error, app), bad);
  }
  return exit_code;
}

}  // namespace
}  // namespace skua::cli

int main(int argc, char** argv) {
  using namespace skua::cli;
  try {
    return run_tool(with_new_names(argc, argv));
  } catch (const skua::bad_input& error) {
    return refuse(error.what(), bad);
  } catch (const std::exception& error) {
    return refuse(error.what(), failed);
  }
}
