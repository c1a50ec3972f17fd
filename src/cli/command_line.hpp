// The options of a subcommand. The parser (CLI11) is hidden in command_line.cpp, since its header costs seconds for each
// file that includes it.
//
//   void add_list(command_set& commands) {
//     auto options = std::make_shared<list_options>();
//     command list = commands.add("list", "List the workloads and their options, or the policies");
//     list.option("WHAT", options->what, "workloads or policies").required().check(one_of({"workloads", "policies"}));
//     list.flag("--json", options->json, "print JSON instead of text");
//     list.footer("Example:\n  skua list workloads");
//     list.action([options] { return run_list(*options); });
//   }
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cli/refusals.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace skua::cli {

/// One option of a command. Each function returns the option itself.
class option {
 public:
  explicit option(CLI::Option* parsed) : parsed_(parsed) {}

  option& required();
  option& check(const value_check& check);
  option& transform(const std::function<std::string(std::string)>& function);
  option& excludes(const option& other);
  option& needs(const option& other);
  /// Several values in one word, separated by commas.
  option& separated_by_commas();
  /// Replaces its text in --help.
  option& describe(const std::string& about);
  /// Accepted, but not shown by --help.
  option& hidden();

 private:
  CLI::Option* parsed_;
};

class command {
 public:
  explicit command(CLI::App& app, int& exit_code) : app_(&app), exit_code_(&exit_code) {}

  /// `names` as CLI11 takes them: "NAME", "--name" or "-n,--name". `value` must live until the action has run. T is a
  /// string, a number, an optional number, or a vector of strings or ints: see command_line.cpp.
  template <class T>
  cli::option option(const std::string& names, T& value, const std::string& about);
  cli::option flag(const std::string& names, bool& value, const std::string& about);

  /// The options that follow are shown under this heading; "Options" is the default one.
  void heading(const std::string& heading);
  cli::option named(const std::string& name);
  /// How often the user has given the option.
  std::size_t count(const std::string& name) const;
  /// The first option below this heading that the user has given; empty: none.
  std::string first_given_below(const std::string& heading) const;

  void footer(const std::string& text);
  /// Returns the exit code.
  void action(const std::function<int()>& run);

 private:
  CLI::App* app_;
  int* exit_code_;
};

/// All subcommands of the tool.
class command_set {
 public:
  command_set(CLI::App& app, int& exit_code) : app_(app), exit_code_(exit_code) {}
  command add(const std::string& name, const std::string& about);

 private:
  CLI::App& app_;
  int& exit_code_;
};

// The subcommands of `skua`. An action returns the exit code: 0 for success, 1 for a failure or a wrong answer. Bad input is an
// exception (skua::bad_input, or one of the parser) and gives exit code 2.
void add_run(command_set&);
void add_list(command_set&);
void add_explain(command_set&);
void add_topo(command_set&);
void add_machines(command_set&);
void add_calibrate(command_set&);
void add_bench(command_set&);
void add_paper(command_set&);
void add_compare(command_set&);
void add_scale(command_set&);
void add_fuzz(command_set&);
void add_report(command_set&);
void add_tune(command_set&);

}  // namespace skua::cli
