// What the chooser of policies has chosen, for a report.
#pragma once

#include <vector>

#include "core/choosing/policy_chooser.hpp"
#include "observe/run_record.hpp"

namespace skua::core {

/// The places that took most time first.
std::vector<observe::choice_record> record_of(const policy_chooser& of);

}  // namespace skua::core
