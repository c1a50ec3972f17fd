// The settings of a scheduler: plain values, from the user's options, the environment and the machine.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <skua/scheduler.hpp>

#include "core/start/binding.hpp"
#include "topology/pins.hpp"

namespace skua::policy {
struct parsed_policy;
}

namespace skua::core {

/// The steal policy that was chosen. Its text is parsed once, and each worker's policy is made from the result.
struct policy_choice {
  std::string text;
  std::shared_ptr<const policy::parsed_policy> parsed;
};
/// Throws bad_input.
policy_choice policy_of(const std::string& text);

struct settings {
  std::size_t workers;
  policy_choice policy;
  skua::topology machine;
  detail::pins pins;
  binding bind;
  bool shares_cpus;  // more workers than CPUs on which they may run
  std::int64_t park_after_us;
  skua::continuation continuation;
  skua::order own_order;
  std::size_t suspended_stacks;
  std::size_t stack_bytes;
  std::uint64_t seed;
  std::optional<simulation> simulate;
  bool keep_times;
  bool keep_report;
  bool keep_trace;
  std::size_t trace_events;             // of all workers together
  std::string report_name, trace_name;  // of these files, with %p for the process id
  std::string report_file,
      trace_file;                // written at the end, from SKUA_REPORT and SKUA_TRACE; empty: none
  bool says_what_was_simulated;  // at the end of the process: the environment chose it, not the program
};

/// While it lives, schedulers that the calling thread makes are the library's own: they ignore SKUA_REPORT.
class unreported {
 public:
  unreported() noexcept;
  ~unreported();
  unreported(const unreported&) = delete;
  unreported& operator=(const unreported&) = delete;
  /// Whether the calling thread has one.
  static bool here() noexcept;
};

/// Throws bad_input: one sentence naming the option or variable, the value, and what is allowed.
settings checked(const scheduler_options& options);
/// The settings of a scheduler of the parent that starts anew in a child of fork(). Only files whose names differ between
/// processes are written there.
settings in_child_process(settings parents);

}  // namespace skua::core
