// A name for an address of the program that is the same in each process that runs the same build, wherever it is loaded.
#pragma once

#include <cstdint>
#include <string>

namespace skua::core {

/// "BUILD_ID+0xOFFSET" in the loaded file that holds the address. Empty: no file does, or the file has no build id.
std::string place_in_build(std::uint64_t address) noexcept;

}  // namespace skua::core
