// From events to a file in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//
// A scheduler is a process there. Each worker has two lines: what it runs (calls, tasks, regions, one inside the other), and
// what the scheduler does there (searching, asleep; messages of managers). A steal is an arrow from the victim's line to
// the task on the thief's.
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
  std::vector<std::string> regions = {};                        // by the names of their events
  std::function<std::string(std::uint64_t)> name_of_code = {};  // of a task
  std::vector<std::string> messages = {};                       // types
};

/// The run's events, one a line, with commas between.
std::string trace_events(const traced_run& run, int process);
/// The file: the events of all schedulers of a process.
std::string trace_file(const std::vector<std::string>& events_of_runs);

}  // namespace skua::observe
