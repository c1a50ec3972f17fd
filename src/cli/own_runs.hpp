// Runs of this tool itself in processes of their own, as many at a time as there are CPUs, or as is said.
//
// Not in threads: two simulated machines in one process do not disturb each other, but where malloc puts a run's data in
// their pages depends on what the process did before, and with it the simulated misses.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace skua::cli {

using arguments = std::vector<std::string>;  // what follows `skua`

struct own_run {
  std::string output, complaint;  // complaint: empty, or why there is no output
  double seconds = 0;             // of real time
};

/// In the order of the commands, without the caller's SKUA_ variables. `ended` hears how many have ended, and which one
/// did, one at a time.
std::vector<own_run> run_ourselves(
    const std::vector<arguments>& commands,
    const std::function<void(std::size_t done, std::size_t which, const own_run&)>& ended,
    std::size_t at_a_time = 0);

}  // namespace skua::cli
