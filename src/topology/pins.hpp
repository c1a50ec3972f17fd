// The value of --pin and SKUA_PIN: the name of an order, or a list of CPUs.
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

/// Parses "" and "grouped", "dealt", or numbers and ranges, "0,3,6-8". Throws bad_input with a sentence that begins
/// with `what`.
pins pins_of(std::string_view what, std::string_view text);

/// The placement of workers by these pins.
placement place_by(const topology& machine, std::size_t workers, const pins& asked);

}  // namespace skua::detail
