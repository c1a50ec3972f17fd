// One step of `skua fuzz`: runs a plan in this process.
#pragma once

#include <cstdint>
#include <string>

#include "cli/fuzz/plan.hpp"

namespace skua::cli::fuzz {

struct step_outcome {
  std::string wrong;  // empty, or in one sentence
  std::uint64_t tasks = 0, events = 0, stream = 0;
};

/// After a step in which something was wrong this process is good for nothing more. One in which somebody waits for ever in
/// real time ends it by a signal.
step_outcome run_step(const plan& of);

}  // namespace skua::cli::fuzz
