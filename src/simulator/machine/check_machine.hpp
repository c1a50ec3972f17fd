// What must hold for every model, whatever it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

inline constexpr std::size_t max_threads = 512;  // of one machine
inline constexpr unsigned max_hops = 16;
inline constexpr std::uint64_t max_cycles = 1'000'000;  // that anything takes
/// As machine files call transfers from the nearest other package, the next ...; they name no more.
inline constexpr std::string_view hop_names[] = {"one_hop", "two_hop", "three_hop", "four_hop"};

/// Throws bad_input: "x.xml: the machine has 600 hardware threads; allowed: 1 to 512; nearest: 512".
void check_threads(std::string_view source, std::size_t threads);

/// Does everybody in a package have the last level of caches in common?
bool packages_share_a_cache(const machine_model& machine);

/// Throws bad_input that names the source, the value by its key in a machine file, and what is allowed: sizes that can be,
/// caches that nest, tables that reach as far as the machine does, and nothing nearer that is slower.
void check_machine(std::string_view source, const machine_model& machine);

}  // namespace skua::simulator
