// Runs a program, or a copy of this process, and returns what it printed and how it ended; and facts about this process.
//
//   process_result ended = run_process({.program = "/bin/ls", .arguments = {"-l"}, .max_seconds = 10});
//   if (ended.succeeded()) use(ended.output); else complain(ended.ending());
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skua::base {

struct process_command {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // without the program's name
  std::string name = program;          // argv[0]
  std::string_view without = {};  // leaves out the environment variables that begin with this; empty: none
  std::vector<std::string> with = {};  // adds environment variables, "NAME=value"
  double max_seconds = 0;              // kills the process after this time; 0: no limit
};

struct process_result {
  std::string output;      // standard output and standard error, in the order of writing
  bool started = false;    // false: the system refused to start it
  bool timed_out = false;  // killed after max_seconds
  int exit_code = 0;       // valid where signal is 0
  int signal = 0;          // the signal that ended it, or 0
  double seconds = 0;      // of real time

  bool succeeded() const { return started && !timed_out && signal == 0 && exit_code == 0; }
  /// "exited with code 3", "was killed by signal 11", "did not finish within 120 s" or "could not be started".
  std::string ending() const;
};

/// Waits until the process has ended. It inherits the descriptors that are not close-on-exec.
process_result run_process(const process_command& command);

/// Forks this process, calls body() in the copy and exits there with its result. The copy shares this process's output.
process_result run_in_copy(const std::function<int()>& body);

/// The command line of this process, with quotes around arguments that need them; empty if there is no /proc.
std::string command_line();
/// The time of day: "2026-01-31 23:59:59"
std::string utc_now();

}  // namespace skua::base
