// Numbers as people read and write them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace skua::base {

std::string percent(double share);          // "38%", "0.4%"
std::string duration(double ns);            // "740 ns", "1.3 us", "12 ms", "2.5 s"
std::string amount_of_bytes(double bytes);  // "4.2 MB"
std::string decimal(double value);          // three digits: "0.52", "7.90", "312"
std::string short_number(double value);     // three digits: "0.0123", "1.24", "458000", "1e-06"
std::string count(std::uint64_t number);    // "12 345 678"
std::string counted(std::uint64_t number, const char* singular);  // "1 worker", "8 workers"
std::string noun(std::uint64_t number, const char* singular);     // the same without the number

/// The numbers in order, with runs of equal steps shortened: {0,1,2,3,8} is "0-3,8", and {0,4,8,12} is "0,4..12".
std::string number_list(std::span<const std::uint32_t> numbers);

/// "65536", "64k", "64 KB", "8Mi", "1GiB": each unit is 1024 times the one before; case does not matter. No value for
/// another text, a negative number and one that needs more than 63 bits.
std::optional<std::int64_t> byte_number(std::string_view text);

/// The end of what a refusal lists as allowed.
inline constexpr std::string_view byte_units = " bytes, also in units as in 64k, 8M or 1G";

}  // namespace skua::base
