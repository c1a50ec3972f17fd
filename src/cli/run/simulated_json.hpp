// A simulated machine's report as JSON, for `skua run --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <skua/simulation.hpp>

namespace skua::cli {

/// Appends `times`, `caches`, `nodes` and `transfers` to the object.
void add_report(nlohmann::ordered_json& to, const simulation_report& report);

}  // namespace skua::cli
