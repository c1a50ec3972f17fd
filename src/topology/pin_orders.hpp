// The words for skua::pin_order, on the command line and in SKUA_PIN.
#pragma once

#include <array>
#include <string_view>

#include <skua/topology.hpp>

namespace skua::detail {

inline constexpr std::array<std::string_view, 2> pin_order_names{"grouped", "dealt"};

/// Of one of these names.
inline pin_order pin_order_of(std::string_view name) {
  return name == pin_order_names[1] ? pin_order::dealt : pin_order::grouped;
}

}  // namespace skua::detail
