// From what a user asked for, the environment and the machine to plain numbers.
#pragma once

#include <optional>

#include <skua/scheduler.hpp>

#include "topology/pins.hpp"

namespace skua::core {

struct settings {
  std::size_t workers;
  std::string policy;
  skua::topology machine;
  detail::pins pins;
  bool bind;
  std::int64_t park_after_us;
  skua::continuation continuation;
  skua::order own_order;
  std::size_t suspended_stacks;
  std::size_t stack_bytes;
  std::uint64_t seed;
  std::optional<simulation> simulate;
  bool keep_times;
  bool says_what_was_simulated;  // at the end of the process: the environment wants it, not the program
};

/// Throws bad_input: one sentence naming the option or variable, the value, and what is allowed.
settings checked(const scheduler_options& options);

}  // namespace skua::core
