#include "paper/policy_comparison.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace skua::paper {
namespace {

std::vector<double> seconds_of(const compared_cell& cell) {
  std::vector<double> seconds;
  for (const compared_run& run : cell.runs) seconds.push_back(run.seconds);
  return seconds;
}

bool has_enough_times(const compared_cell& cell) {
  const std::vector<double> seconds = seconds_of(cell);
  return std::set<double>(seconds.begin(), seconds.end()).size() >= min_different_times;
}

/// Then the policy has decided nothing. False if the steals are not known.
bool has_no_steals(const compared_cell& cell) {
  return std::ranges::all_of(cell.runs, [](const compared_run& run) {
    const auto steals = run.facts.find("steals");
    return steals != run.facts.end() && steals->second == 0;
  });
}

bool distinct(const compared_cell& faster, const compared_cell& slower) {
  if (has_no_steals(faster) && has_no_steals(slower)) return false;  // the times differ for another reason
  return has_enough_times(faster) && has_enough_times(slower) && faster.relative.max < slower.relative.min;
}

standing standing_of(const compared_cell& cell, const compared_cell& reference, const compared_row& row) {
  if (distinct(reference, cell)) return standing::slower;
  if (!distinct(cell, reference)) return standing::same;
  const bool beaten = std::ranges::any_of(
      row.cells, [&](const compared_cell& other) { return !other.runs.empty() && distinct(other, cell); });
  return beaten ? standing::faster : standing::best;
}

}  // namespace

std::string_view name_of(standing one) noexcept {
  static constexpr std::string_view names[] = {"not run", "best", "faster", "same", "slower"};
  return names[static_cast<std::size_t>(one)];
}

double compared_cell::fact(const std::string& name) const {
  std::vector<double> values;
  for (const compared_run& run : runs)
    if (const auto at = run.facts.find(name); at != run.facts.end()) values.push_back(at->second);
  return values.empty() ? 0 : band_of(std::move(values)).median;
}

const compared_cell* reference_of(const compared_row& row) {
  const auto at = std::ranges::find(row.cells, reference_policy, &compared_cell::policy);
  return at == row.cells.end() || at->runs.empty() ? nullptr : &*at;
}

const compared_cell* fastest_of(const compared_row& row) {
  const compared_cell* fastest = nullptr;
  for (const compared_cell& cell : row.cells)
    if (!cell.runs.empty() && (!fastest || cell.relative.median < fastest->relative.median)) fastest = &cell;
  return fastest;
}

void judge(compared_row& row) {
  const compared_cell* reference = reference_of(row);
  if (!reference) return;
  const double unit = band_of(seconds_of(*reference)).median;
  for (compared_cell& cell : row.cells) {
    if (cell.runs.empty()) continue;
    const band seconds = band_of(seconds_of(cell));
    cell.relative = {seconds.min / unit, seconds.median / unit, seconds.max / unit};
  }
  for (compared_cell& cell : row.cells)
    if (!cell.runs.empty()) cell.judged = standing_of(cell, *reference, row);
}

bool same_table(const compared_block& a, const compared_block& b) {
  const auto asked = [](const compared_block& one) {
    return std::tie(one.machine, one.size, one.level, one.pages, one.workers, one.seeds, one.first_seed,
                    one.repeat, one.varies_input, one.is_program, one.is_measured);
  };
  return asked(a) == asked(b) && std::ranges::equal(a.rows.front().cells, b.rows.front().cells, {},
                                                    &compared_cell::policy, &compared_cell::policy);
}

std::vector<waited_run> waits_of(const compared_block& block) {
  std::vector<waited_run> runs;
  for (const compared_row& row : block.rows)
    for (const compared_cell& cell : row.cells)
      for (const compared_run& run : cell.runs) {
        const auto share = run.facts.find("share waiting for CPUs"), cpus = run.facts.find("CPUs");
        if (share == run.facts.end()) continue;
        const bool is_crowded = cpus != run.facts.end() && static_cast<double>(block.workers) > cpus->second;
        runs.push_back({.share = share->second, .is_crowded = is_crowded});
      }
  return runs;
}

heat_map map_of(const std::vector<compared_block>& blocks) {
  heat_map map{.title = "time relative to random",
               .corner = "machine, workload",
               .mark = "no policy is faster by more than the spread over seeds"};
  for (const compared_block& block : blocks)
    for (const compared_row& row : block.rows)
      for (const compared_cell& cell : row.cells)
        if (std::ranges::find(map.columns, cell.policy) == map.columns.end())
          map.columns.push_back(cell.policy);
  for (const compared_block& block : blocks)
    for (const compared_row& row : block.rows) {
      heat_map::row line{.name = block.machine + ", " + row.workload,
                         .ratios = {},
                         .best = std::vector<bool>(map.columns.size(), false)};
      line.ratios.resize(map.columns.size());
      for (const compared_cell& cell : row.cells) {
        if (cell.judged == standing::not_run) continue;
        const auto at = static_cast<std::size_t>(
            std::distance(map.columns.begin(), std::ranges::find(map.columns, cell.policy)));
        line.ratios[at] = cell.relative.median;
        line.best[at] = cell.judged == standing::best;
      }
      map.rows.push_back(std::move(line));
    }
  return map;
}

}  // namespace skua::paper
