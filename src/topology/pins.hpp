// The values of --pin and SKUA_PIN: the name of an order of CPUs, or a list of CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace skua::detail {

struct pins {
  pin_order order = pin_order::grouped;
  std::vector<std::uint32_t> cpus = {};  // in the order in which workers get them; empty: use `order`
  bool asked = false;                    // the user chose one of the two
  std::string origin = {};               // "SKUA_PIN is '0,99'"; empty if the program chose
};

/// "" or "grouped", "dealt", or a list of numbers and ranges such as "0,3,6-8". Throws bad_input with a message that begins
/// with `what`.
pins pins_of(std::string_view what, std::string_view text);

/// Seats for the workers. Throws bad_input with a message that begins with the origin of the CPUs.
placement place_by(const topology& machine, std::size_t workers, const pins& asked);

}  // namespace skua::detail
