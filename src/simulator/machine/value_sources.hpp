// Where the values of a machine file come from, as the file says it.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

/// Of the parts that a model is made of, in the order of the file. A value says it itself, {"v": 45, "src": "M"}, or a cache
/// does for all of its values. The text must be a machine that parse_machine() accepts.
std::vector<value_source> value_sources(std::string_view text);

}  // namespace skua::simulator
