// Runs this tool, or any program that uses skua, several times, each in its own process, as many at a time as there are CPUs or as
// requested. A program gets environment variables (SKUA_WORKERS, ...), and leaves a report.
//
// Threads would not do for this tool. Two simulated machines in one process do not disturb each other, but the addresses that malloc
// returns depend on what the process did before, and the simulated misses depend on these addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "observe/run_record.hpp"

namespace skua::cli {

using arguments = std::vector<std::string>;  // what follows `skua` on a command line

struct own_run {
  std::string output;
  std::string ending;     // empty where the run succeeded, else for example "was killed by signal 11"
  std::string complaint;  // empty where the run succeeded, else a sentence with the command and its output
  double seconds = 0;     // of real time
};

/// Calls one(i) for each i below `number`, as many at a time as there are CPUs or as requested. Calls to `ended` do not
/// overlap; they say how many have ended and which one was the last. The calls must not throw.
void run_some_at_a_time(std::size_t number, const std::function<void(std::size_t i)>& one,
                        const std::function<void(std::size_t done, std::size_t which)>& ended,
                        std::size_t at_a_time = 0);

/// Returns the runs in the order of the commands. They do not see the caller's SKUA_ variables.
std::vector<own_run> run_ourselves(
    const std::vector<arguments>& commands,
    const std::function<void(std::size_t done, std::size_t which, const own_run&)>& ended,
    std::size_t at_a_time = 0);

/// A file in no folder, into which another process writes: nothing is left behind if one of the two is killed.
class memory_file {
 public:
  /// Throws std::system_error if there is no memory.
  memory_file();
  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// Its name in processes that this one starts.
  std::string name() const;
  std::string text() const;

 private:
  int memory_;
};

/// One run. Empty strings: what the program or its scheduler chooses.
struct program_command {
  std::string program;
  skua::cli::arguments arguments = {};
  std::size_t workers = 1;
  std::string policy = {}, topology = {}, distances = {}, pin = {};
  std::optional<std::uint64_t> seed = {};
  std::string simulate = {};  // a machine; the following ones are its options
  std::string level = {}, pages = {}, replay = {};
  std::string learnt = {};  // the file that keeps what runs learn
  bool measured = false, free_looks = false, own_threads = false;
};

/// What a run left: a report, or the reason why there is none.
struct program_run {
  std::string report;
  std::string complaint;
  bool succeeded = false;  // the program, which may have left no report all the same
};

/// A path, not the name of a workload.
bool is_program(const std::string& name);
/// "; nearest: ./NAME" if the current folder has a program of that name; empty otherwise.
std::string or_program_here(const std::string& name);
/// Throws bad_input for a file that cannot be run.
void check_program(const std::string& name);
/// Throws bad_input if one of these options of the command has been given.
void refuse_for_program(const command& of, const std::string& name, const std::vector<std::string>& options);

/// Before runs that simulate with measured times: says on stderr that they cannot be repeated, and which runs can.
void say_that_times_are_measured();

/// Returns the runs in the order of the commands; see run_ourselves. Throws bad_input if the program does not use skua, or if all
/// runs simulate with declared costs and the program declares none. Where it costs no time, the first run shows it.
std::vector<program_run> run_programs(const std::vector<program_command>& commands,
                                      const std::function<void(std::size_t done)>& ended,
                                      std::size_t at_a_time);
/// The record of a run. Throws std::runtime_error for a run that failed or left no report, and for a program that chose its
/// number of workers or its policy itself.
observe::run_record record_of(const program_command& command, const program_run& run);

}  // namespace skua::cli
