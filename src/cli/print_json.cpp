#include "cli/print_json.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace skua::cli {

void print_json_text(const nlohmann::ordered_json& all, int indent) {
  fmt::print("{}\n", all.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace skua::cli
