// Where the values of a machine file come from, as the file says it.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "simulator/machine_model.hpp"

namespace skua::simulator {

/// Of the values that a model is made of, in the order of docs/machines.md. A value says it itself, {"v": 45, "src": "M"},
/// or a cache does for all of its values.
std::vector<value_source> value_sources(const nlohmann::json& file);

}  // namespace skua::simulator
