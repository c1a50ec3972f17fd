// Reports as JSON, for programs; and the parts that a page contains as well.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "observe/run_record.hpp"

namespace skua::reports {

/// Everything: summary, verdict with its evidence, prediction, and the numbers of the record.
nlohmann::ordered_json to_json(const observe::run_record& run);

nlohmann::ordered_json verdict_json(const observe::run_record& run);
/// The inflation is null if it is not known.
nlohmann::ordered_json summary_json(const observe::run_record& run);
/// Null if the record has no work and span.
nlohmann::ordered_json work_span_json(const observe::run_record& run);

}  // namespace skua::reports
