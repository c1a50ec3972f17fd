// Writes events in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//
// A scheduler is a process there. Each worker has two lines: one with calls, tasks and trace spans, nested, and one with the
// states of the scheduler (searching, asleep) and messages of managers. A steal is an arrow from the victim's line to the
// task on the thief's line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "observe/trace_log.hpp"

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
  std::vector<std::string> spans = {};                          // by the names of their events
  std::function<std::string(std::uint64_t)> name_of_code = {};  // of a task
  std::vector<std::string> messages = {};                       // types
};

/// The run's events, one per line, separated by commas.
std::string trace_events(const traced_run& run, int process);
/// The file: the events of all schedulers of a process.
std::string trace_file(const std::vector<std::string>& events_of_runs);

}  // namespace skua::observe
