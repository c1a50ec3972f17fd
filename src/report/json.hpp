// What a report says, for programs: summary, verdict with its evidence, prediction.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "observe/run_record.hpp"

namespace skua::reports {

nlohmann::ordered_json to_json(const observe::run_record& run);

}  // namespace skua::reports
