// Compares policies with `random` on machines and workloads: which times differ by more than their spread, and by how much.
//
//   compared_block block{.machine = "epyc-9654-2s", .rows = {{"heat n=1024", {{"random", runs}, {"bitier", runs}}}}};
//   judge(block.rows.front());
//   block.rows.front().cells[1].judged == standing::best;
//
// A band is the minimum and maximum of several seeds. Two policies differ if their bands do not overlap. For two equal policies
// with five seeds each, this happens by chance with probability 1/252 for either order, with four seeds 1/70; fewer seeds are
// not significant. If neither the policy nor the input is random, all seeds give the same run and count once. Two policies without a
// steal do not differ: neither has decided anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "paper/band.hpp"
#include "paper/plot.hpp"

namespace skua::paper {

inline constexpr std::size_t min_different_times = 4;

/// What a policy such as auto had chosen for a place of the program when the last run ended.
struct compared_choice {
  std::string kind;           // "call", "region", "loop"
  std::string policy, stage;  // as in choice_record
  std::uint64_t episodes = 0;
  double seconds = 0;  // of all episodes
};

struct compared_run {
  std::uint64_t seed = 0;
  double seconds = 0;  // of all repetitions
  /// Possible explanations: "share data", "demand misses L3", "data lines 1 hop", ...
  std::map<std::string, double> facts = {};
  std::vector<double> seconds_of_runs = {};  // in order, if there are several in one scheduler
  std::vector<compared_choice> choices = {};
};

enum class standing : std::uint8_t {
  not_run,
  best,    // faster than random, and no other policy is faster than it
  faster,  // than random, but another policy is faster
  same,    // its band overlaps with random's, or there are too few different times
  slower,  // than random
};
std::string_view name_of(standing) noexcept;

struct compared_cell {
  std::string policy;
  std::vector<compared_run> runs = {};
  std::string complaint = {};  // why there are no runs
  band relative = {};          // seconds over the median of random's
  standing judged = standing::not_run;

  /// The median over the runs; 0 if no run has the fact.
  double fact(const std::string& name) const;
};

struct compared_row {
  std::string workload;  // with its options, as for `skua run`
  std::vector<compared_cell> cells = {};
};

inline constexpr std::string_view real_machine = "this machine";

/// A program of a user's has no size. A block of the real machine has no level and no pages.
struct compared_block {
  std::string machine, size, level, pages;
  std::size_t workers = 0, seeds = 0;
  std::vector<compared_row> rows = {};
  std::uint64_t first_seed = 1;
  std::size_t repeat = 1;     // runs of each seed, in one scheduler
  bool varies_input = false;  // each seed gives the workloads another random input, too
  bool is_program = false;    // its only row is a program with its arguments, not a workload
  bool is_measured = false;   // the program's leaves take on the simulated machine as long as here

  bool is_real() const { return machine == real_machine; }
};

inline constexpr std::string_view reference_policy = "random";

/// Fills `relative` and `judged` of all cells. Does nothing without runs of `random`.
void judge(compared_row& row);
/// The cell with the smallest median, and that of random; nullptr if there is none.
const compared_cell* fastest_of(const compared_row& row);
const compared_cell* reference_of(const compared_row& row);

/// Whether both are of one machine, with the same options and policies, so that they form one table.
bool same_table(const compared_block& a, const compared_block& b);
heat_map map_of(const std::vector<compared_block>& blocks);

// As text for a terminal and as Markdown: a row of ratios with their bands for each workload, and the facts that explain them.

std::string text_of(const compared_block& block);
std::string markdown_of(const compared_block& block);
/// One line for each run that is missing; empty if none is.
std::string complaints_of(const std::vector<compared_block>& blocks);
/// The command that prints the block: "skua compare --machines ..."
std::string command_of(const compared_block& block);
/// The runs of a program on a real machine: facts "share waiting for CPUs" and "CPUs".
std::vector<waited_run> waits_of(const compared_block& block);
/// "epyc-9654-2s, 192 workers, bandwidth, pages first_touch, 5 seeds"
std::string heading_of(const compared_block& block);
/// "heat n=1024: bitier takes 0.82 [0.78, 0.85] of random's time", or that no policy is faster.
std::string sentence_of(const compared_row& row);

}  // namespace skua::paper
