// The names of functions by address, which src/host reads from the program's files.
#pragma once

#include <cstdint>
#include <string>

namespace skua::core {

/// The demangled name of the function that holds the address, also of one that no other file may use; where the file has
/// been stripped of it, "program+0x12ab".
std::string function_at(std::uint64_t address);
/// "program+0x12ab", as addr2line and the disassemblers number it.
std::string place_at(std::uint64_t address);

}  // namespace skua::core
