// What --pin and SKUA_PIN say: an order of the CPUs by its name, or the CPUs themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace skua::detail {

struct pins {
  pin_order order = pin_order::grouped;
  std::vector<std::uint32_t> cpus = {};  // in the order in which workers get them; empty: by `order`
};

/// "" and "grouped", "dealt", or numbers and runs of numbers, "0,3,6-8". Throws bad_input, whose sentence begins with
/// `what`.
pins pins_of(std::string_view what, std::string_view text);

/// Seats by them.
placement place_by(const topology& machine, std::size_t workers, const pins& asked);

}  // namespace skua::detail
