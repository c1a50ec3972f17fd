// JSON on stdout.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace skua::cli {

/// Names of files may be any bytes: what is no UTF-8 in them is printed as a replacement character.
void print_json_text(const nlohmann::ordered_json& all, int indent = 2);

}  // namespace skua::cli
