// How far stolen tasks went: steals, and the data that the tasks declared, by level of distance.
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
  std::optional<std::uint64_t> bytes = std::nullopt;  // where the record knows how far its pairs are apart
};

/// The nearest first.
std::vector<distance_row> distances_of(const observe::run_record& run);

}  // namespace skua::reports
