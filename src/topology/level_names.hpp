// The names of options of a simulation. Levels of detail have two: those of the tool's options, and L0 to L3 on the pages of the
// papers' figures.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include <skua/simulation.hpp>

namespace skua::detail {

/// Where the pages of a simulated machine lie (simulation::pages).
inline constexpr std::string_view page_policy_names[] = {"first_touch", "interleave"};

/// The option's name for "L0" to "L3"; any other text unchanged.
inline std::string_view level_name(std::string_view given) {
  for (std::size_t i = 0; i < std::size(detail_level_names); ++i)
    if (given == "L" + std::to_string(i)) return detail_level_names[i];
  return given;
}

}  // namespace skua::detail
