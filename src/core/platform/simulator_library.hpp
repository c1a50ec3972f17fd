// What libskua.so finds in libskua_simulator.so.
//
// The simulator is a shared library of its own, because most programs never simulate. load_simulator.cpp loads it for the first
// simulated scheduler. In a static library the core and the simulator are linked together, and none of this is used.
#pragma once

#include <cstdint>
#include <memory>

#include <skua/simulation.hpp>
#include <skua/topology.hpp>

namespace skua::core {

class simulated_machine;

struct simulator_library {
  const char* version;  // both libraries come from one build, so their versions must be equal
  std::shared_ptr<simulated_machine> (*make_machine)(const simulation& wanted, std::uint64_t seed);
  topology (*topology_of)(const simulation& wanted);
};

inline constexpr const char* simulator_entry_name = "skua_simulator_entry";

}  // namespace skua::core
