// Short texts for lists of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skua::base {

/// The numbers in order, with runs of equal steps shortened: {0,1,2,3,8} is "0-3,8", and {0,4,8,12} is "0,4..12".
std::string number_list(std::span<const std::uint32_t> numbers);

}  // namespace skua::base
