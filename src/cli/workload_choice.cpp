#include "cli/workload_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/nearest_name.hpp"
#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

std::vector<std::string_view> option_names(const workloads::workload& workload) {
  std::vector<std::string_view> names;
  for (const workloads::option& o : workload.options) names.push_back(o.name);
  return names;
}

/// Checks one OPTION=VALUE against the workload's declaration. The workload itself checks numbers.
void check_setting(const workloads::workload& workload, const std::string& name, const std::string& value) {
  const auto option = std::ranges::find(workload.options, name, &workloads::option::name);
  if (option == workload.options.end())
    throw bad_input(no_such(fmt::format("option of {}", workload.name), name, option_names(workload)));
  if (option->allowed.find('|') == std::string_view::npos) return;
  std::vector<std::string_view> choices;
  for (std::size_t start = 0; start <= option->allowed.size();) {
    const std::size_t end = std::min(option->allowed.find('|', start), option->allowed.size());
    choices.push_back(option->allowed.substr(start, end - start));
    start = end + 1;
  }
  if (std::ranges::find(choices, value) == choices.end())
    throw bad_input(no_such(fmt::format("{}: {}", workload.name, name), value, choices));
}

}  // namespace

const workloads::workload& chosen_workload(const std::string& name) {
  if (const workloads::workload* found = workloads::find(name)) return *found;
  std::vector<std::string_view> names;
  for (const workloads::workload* w : workloads::all()) names.push_back(w->name);
  throw bad_input(no_such("workload", name, names));
}

workloads::size_class size_class_of(std::string_view name) {
  return static_cast<workloads::size_class>(std::ranges::find(size_names, name) - std::begin(size_names));
}

void read_settings(const workloads::workload& workload, const std::vector<std::string>& settings,
                   workloads::parameters& asked) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      const std::string nearest = base::or_nearest(setting, option_names(workload));
      throw bad_input(fmt::format("'{}' is not allowed; allowed: OPTION=VALUE, see skua list workloads{}{}",
                                  setting.substr(0, 200), nearest, nearest.empty() ? "" : "=VALUE"));
    }
    const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
    check_setting(workload, name, value);
    asked.options[name] = value;
  }
}

}  // namespace skua::cli
