// What a report in JSON and a page say alike.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "observe/run_record.hpp"

namespace skua::reports {

nlohmann::ordered_json verdict_json(const observe::run_record& run);
/// The inflation is null where nobody knows it.
nlohmann::ordered_json summary_json(const observe::run_record& run);
/// Null where the record has none.
nlohmann::ordered_json work_span_json(const observe::run_record& run);

}  // namespace skua::reports
