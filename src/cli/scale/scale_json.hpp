#pragma once

#include <nlohmann/json_fwd.hpp>

#include "paper/scaling.hpp"

namespace skua::cli {

nlohmann::ordered_json json_of(const paper::scaling& all);

}  // namespace skua::cli
