// Many numbers in few words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skua::base {

/// The numbers in their order, runs of equal steps shortened: {0,1,2,3,8} is "0-3,8" and {0,4,8,12}
/// "0,4..12".
std::string number_list(std::span<const std::uint32_t> numbers);

}  // namespace skua::base
