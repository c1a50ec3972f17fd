// Steals, and the data that the stolen tasks declared, by distance of thief and victim.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

struct distance_row {
  std::string name = {};
  std::uint64_t steals = 0;
  double share = 0;                                   // of all steals
  std::optional<std::uint64_t> bytes = std::nullopt;  // if the record has the distances of its pairs
};

/// In ascending order of distance.
std::vector<distance_row> distances_of(const observe::run_record& run);

}  // namespace skua::reports
