// Parts of `skua paper`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "managers/manager_tree.hpp"
#include "paper/experiment.hpp"
#include "paper/plan.hpp"

namespace skua::cli {

/// A value of a figure that is computed by the functions that the policies themselves use: equation 4, the bytes that two
/// placements read, the CPU of a worker, the number of times that `nearest` tries each victim, the number of threads with
/// which the threads of a manager tree communicate. Empty: this value is not computed.
std::optional<double> exact_value(const paper::figure&, const paper::point&);

/// The number of threads with which the threads of a core communicate under a tree of managers, for the core that
/// communicates with most. A translation buffer of direct messages with so many entries never overflows. The managers are
/// placed as on the simulated chips.
std::size_t translations_needed(const managers::manager_tree& tree, std::uint32_t threads_a_core);
/// The same for a thread that is a worker and a manager, where managers may be placed on any thread, one on each.
std::size_t translations_needed_anywhere(const managers::manager_tree& tree);

/// "all", "some points", "not yet", or "inputs", for a figure of inputs, which is not run.
std::string_view runs_word(const paper::figure&, const paper::coverage&);
/// A line for each figure: its name on the command line, its level, whether it can be run, its title, and what is missing.
std::string list_of(const std::vector<const paper::figure*>&, paper::size);

/// JSON contains no real times: the same seeds give the same text.
void print_list_json(const std::vector<const paper::figure*>&, paper::size);
/// An array, or with `as_array` false the object of the only result. `seeds`: see seeds_for.
void print_results_json(const std::vector<paper::result>&, paper::size, std::size_t seeds, bool as_array);

}  // namespace skua::cli
