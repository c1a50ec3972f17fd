// The words for skua::pin_order, as SKUA_PIN has them.
#pragma once

#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace skua::cli {

inline std::vector<std::string_view> pin_order_names() { return {"grouped", "dealt"}; }
inline pin_order pin_order_of(std::string_view name) {
  return name == "dealt" ? pin_order::dealt : pin_order::grouped;
}

}  // namespace skua::cli
