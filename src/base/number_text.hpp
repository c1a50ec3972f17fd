// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace skua::base {

std::string percent(double share);          // "38%", "0.4%"
std::string duration(double ns);            // "740 ns", "1.3 us", "12 ms", "2.5 s"
std::string amount_of_bytes(double bytes);  // "4.2 MB"
std::string decimal(double value);          // three digits: "0.52", "7.90", "312"
std::string short_number(double value);     // three digits: "0.0123", "1.24", "458000", "1e-06"
std::string count(std::uint64_t number);    // "12 345 678"
std::string counted(std::uint64_t number, const char* singular);  // "1 worker", "8 workers"
std::string noun(std::uint64_t number, const char* singular);     // the same without the number

}  // namespace skua::base
