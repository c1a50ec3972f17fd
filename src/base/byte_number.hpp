// Numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace skua::base {

/// "65536", "64k", "64 KB", "8Mi", "1GiB": each unit is 1024 times the one before; case does not matter. No value for
/// another text, a negative number and one that needs more than 63 bits.
std::optional<std::int64_t> byte_number(std::string_view text);

/// The end of what a refusal lists as allowed.
inline constexpr std::string_view byte_units = " bytes, also in units as in 64k, 8M or 1G";

}  // namespace skua::base
