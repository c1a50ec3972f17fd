// Which CPUs of a machine get how many workers: pure arithmetic over the list of cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology_data.hpp"

namespace skua::detail {

/// `amount` dealt round and round to shares that hold at most `room` each. `amount` must fit.
std::vector<std::size_t> deal(std::size_t amount, std::span<const std::size_t> room);

/// For each core the number of its workers. A core's first worker sits on its first CPU, and so on, round
/// and round.
std::vector<std::size_t> workers_by_core(const topology::data& machine, std::size_t workers);

}  // namespace skua::detail
