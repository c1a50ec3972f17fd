// What libskua.so finds when it loads this library (core/platform/simulator_library.hpp).
#include <skua/detail/export.hpp>

#include "core/platform/simulated_machine.hpp"
#include "core/platform/simulator_library.hpp"

extern "C" {
extern SKUA_API const skua::core::simulator_library skua_simulator_entry;
const skua::core::simulator_library skua_simulator_entry{SKUA_VERSION, &skua::core::make_simulated_machine,
                                                         &skua::core::simulated_topology};
}
