#include "report/distances.hpp"

#include <algorithm>

namespace skua::reports {

namespace {

/// Records of skua's first versions have no distances of pairs.
bool has_distances(const observe::run_record& run) {
  return std::ranges::all_of(run.pairs,
                             [](const observe::pair_record& pair) { return pair.distance.has_value(); });
}

}  // namespace

std::vector<distance_row> distances_of(const observe::run_record& run) {
  const counters counts = run.total_counts();
  const std::vector<std::string>& names = run.machine.distance_names;
  const bool known = has_distances(run);
  std::vector<distance_row> rows;
  for (std::size_t level = 0; level < counts.steals_by_distance.size(); ++level) {
    const std::uint64_t steals = counts.steals_by_distance[level];
    distance_row& row = rows.emplace_back(distance_row{
        .name = level < names.size() ? names[level] : "level " + std::to_string(level), .steals = steals});
    if (counts.steals) row.share = static_cast<double>(steals) / static_cast<double>(counts.steals);
    if (known) row.bytes = 0;
  }
  if (known)
    for (const observe::pair_record& pair : run.pairs)
      if (*pair.distance < rows.size()) *rows[*pair.distance].bytes += pair.bytes;
  return rows;
}

}  // namespace skua::reports
