// A workload and its options on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/common/workload.hpp"

namespace skua::cli {

inline constexpr std::string_view size_names[] = {"ci", "med", "paper"};

/// Throws bad_input, with the nearest name.
const workloads::workload& chosen_workload(const std::string& name);
/// Each setting is OPTION=VALUE. Throws bad_input. The workload itself checks numbers when it is made.
void read_settings(const workloads::workload& workload, const std::vector<std::string>& settings,
                   workloads::parameters& asked);
workloads::size_class size_class_of(std::string_view name);

}  // namespace skua::cli
