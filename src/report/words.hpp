// Numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace skua::reports {

std::string percent(double share);                                // "38%", "0.4%"
std::string duration(double ns);                                  // "740 ns", "1.3 us", "12 ms", "2.5 s"
std::string amount_of_bytes(double bytes);                        // "4.2 MB"
std::string decimal(double value);                                // three digits: "0.52", "7.9", "312"
std::string count(std::uint64_t number);                          // "12 345 678"
std::string counted(std::uint64_t number, const char* singular);  // "1 worker", "8 workers"

}  // namespace skua::reports
