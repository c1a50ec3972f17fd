// Levels of detail have two names: those of the tool's options, and L0 to L3 on the pages with the papers' figures.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include <skua/simulation.hpp>

namespace skua::detail {

/// "L0" to "L3" for the name of an option; any other text is returned unchanged.
inline std::string_view level_name(std::string_view given) {
  for (std::size_t i = 0; i < std::size(detail_level_names); ++i)
    if (given == "L" + std::to_string(i)) return detail_level_names[i];
  return given;
}

}  // namespace skua::detail
