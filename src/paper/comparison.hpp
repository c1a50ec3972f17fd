// Policies beside `random` on machines and workloads: whose times differ by more than their own spread, and by how much.
//
//   compared_block block{.machine = "epyc-9654-2s", .rows = {{"heat n=1024", {{"random", runs}, {"bitier", runs}}}}};
//   judge(block.rows.front());
//   block.rows.front().cells[1].judged == standing::best;
//
// A band is the least and the greatest of several seeds. Two policies differ if their bands do not overlap. Of two that
// are the same, five seeds each lie so with a chance of 1 in 252 for either order; four in 70; fewer say nothing. Where
// seeds change nothing, in a policy without dice on an input without them, they are one run, and so say nothing either.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "paper/band.hpp"
#include "paper/heat_map.hpp"

namespace skua::paper {

inline constexpr std::size_t min_times_that_say = 4;  // different ones

struct compared_run {
  std::uint64_t seed = 0;
  double seconds = 0;
  /// What may say why: "share data", "demand misses L3", "data lines 1 hop", ...
  std::map<std::string, double> facts = {};
};

/// Of at least one number.
band band_of(std::vector<double> numbers);

enum class standing : std::uint8_t {
  not_run,
  best,    // faster than random, and no policy is faster than it
  faster,  // than random, but somebody is faster
  same,    // its band overlaps with random's, or there are too few times to say
  slower,  // than random
};
std::string_view name_of(standing) noexcept;

struct compared_cell {
  std::string policy;
  std::vector<compared_run> runs = {};
  std::string complaint = {};  // why there are none
  band relative = {};          // seconds over the median of random's
  standing judged = standing::not_run;

  /// The median over the runs; 0 where a run has no such fact.
  double fact(const std::string& name) const;
};

struct compared_row {
  std::string workload;  // with its options, as after `skua run`
  std::vector<compared_cell> cells = {};
};

struct compared_block {
  std::string machine, size, level, pages;
  std::size_t workers = 0, seeds = 0;
  std::vector<compared_row> rows = {};
};

inline constexpr std::string_view reference_policy = "random";

/// Fills `relative` and `judged` of all cells. Without runs of `random` nothing can be said.
void judge(compared_row& row);
/// The cell with the smallest median, and that of random; nullptr where there is none.
const compared_cell* fastest_of(const compared_row& row);
const compared_cell* reference_of(const compared_row& row);

/// Of one machine, asked for in the same way with the same policies: rows of one table.
bool same_table(const compared_block& a, const compared_block& b);
heat_map map_of(const std::vector<compared_block>& blocks);

}  // namespace skua::paper
