// Runs this tool several times, each in its own process, as many at a time as there are CPUs or as requested.
//
// Threads would not do. Two simulated machines in one process do not disturb each other, but the addresses that malloc
// returns depend on what the process did before, and the simulated misses depend on these addresses.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

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

}  // namespace skua::cli
