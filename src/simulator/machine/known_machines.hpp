// The files of machines/, which the build puts into the library (cmake/machines.cmake).
#pragma once

#include <span>
#include <string_view>

namespace skua::simulator {

struct known_machine {
  std::string_view name, text;
};
extern const std::span<const known_machine> all_known_machines;  // in the order of their names

}  // namespace skua::simulator
