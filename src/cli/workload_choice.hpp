// A workload and its options, as words of a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/common/workload.hpp"

namespace skua::cli {

inline constexpr std::string_view size_names[] = {"ci", "med", "paper"};

/// Throws bad_input with the nearest name.
const workloads::workload& chosen_workload(const std::string& name);
/// OPTION=VALUE each; numbers the workload checks itself, when it is made. Throws bad_input.
void read_settings(const workloads::workload& workload, const std::vector<std::string>& settings,
                   workloads::parameters& asked);
workloads::size_class size_class_of(std::string_view name);

}  // namespace skua::cli
