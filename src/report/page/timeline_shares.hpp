// A timeline as a page draws it: not more intervals than a screen shows, and shares of them in thousandths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

struct timeline_shares {
  std::uint64_t interval_ns = 0;
  /// Of each worker the intervals one after the other, activity_count thousandths each.
  std::vector<std::vector<std::uint16_t>> workers = {};
};

/// Neighbouring intervals are put together until there are at most `most`.
timeline_shares shares_of(const observe::timeline_record& timeline, std::size_t max = 200);

}  // namespace skua::reports
