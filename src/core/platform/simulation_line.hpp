// The progress of a simulation that SKUA_SIMULATE has chosen, in one line on the terminal: "simulating opteron-8380-4s:
// 0.0123 s of virtual time, 12 s so far".
//
// It is drawn on stderr every half second while the machine makes progress. Where stderr is no terminal, nothing is drawn. If
// the program asks for the progress (scheduler::simulated_so_far), it probably shows it itself, so nothing is drawn either.
#pragma once

#include <memory>
#include <string>

namespace skua::core {

class simulated_machine;

class simulation_line {
 public:
  simulation_line(std::string machine, std::shared_ptr<const simulated_machine> simulated);
  /// Removes the line.
  ~simulation_line();
  simulation_line(const simulation_line&) = delete;
  simulation_line& operator=(const simulation_line&) = delete;

 private:
  class thread;
  std::unique_ptr<thread> thread_;
};

}  // namespace skua::core
