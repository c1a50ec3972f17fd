// Converts events to the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing read.
//
// A scheduler is a process there. Each worker has two lines. One shows what it runs (nested calls, tasks and trace
// spans), the other one shows the state of the scheduler (searching, asleep; messages of managers). A steal is an arrow
// from the victim's line to the task on the thief's line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "observe/trace_event.hpp"

namespace skua::observe {

struct traced_worker {
  std::string name;
  std::vector<trace_event> events = {};
  std::uint64_t lost = 0;
};

struct traced_run {
  std::string name;
  std::vector<traced_worker> workers = {};
  std::uint64_t began = 0, ended = 0;  // ticks
  double ns_a_tick = 1;
  std::vector<std::string> regions = {};                        // index: name of the event
  std::function<std::string(std::uint64_t)> name_of_code = {};  // of a task
  std::vector<std::string> messages = {};                       // types
};

/// The events of one run, one in each line, separated by commas.
std::string trace_events(const traced_run& run, int process);
/// The file: the events of all schedulers of a process.
std::string trace_file(const std::vector<std::string>& events_of_runs);

}  // namespace skua::observe
