#include <filesystem>
#include <fstream>
#include <iterator>

#include "simulator/known_machines.hpp"
#include "simulator/machine_model.hpp"
#include "simulator/smaller_caches.hpp"
#include "topology/nearest_name.hpp"

namespace skua::simulator {

namespace {

/// Not what could be a misspelt name.
bool describes_a_topology(const std::string& text) {
  std::error_code failed;
  return text == "host" || text.ends_with(".xml") || text.find_first_of("/: ") != std::string::npos ||
         std::filesystem::exists(text, failed);
}

}  // namespace

std::vector<std::string_view> known_machines() {
  std::vector<std::string_view> names;
  for (const known_machine& one : all_known_machines) names.push_back(one.name);
  return names;
}

machine_model find_machine(const std::string& name_or_file) {
  const auto [machine, part] = parted(name_or_file);
  for (const known_machine& one : all_known_machines)
    if (one.name == machine) return parse_machine(name_or_file, with_smaller_caches(one.text, part));
  if (machine.ends_with(".json")) {
    if (std::ifstream file(machine); file)
      return parse_machine(name_or_file,
                           with_smaller_caches(std::string(std::istreambuf_iterator<char>(file), {}), part));
  } else if (part == 1 && describes_a_topology(machine)) {
    return model_of(topology::parse(machine));
  }
  const std::vector<std::string_view> names = known_machines();
  throw bad_input("machine '" + name_or_file.substr(0, 200) +
                  "' does not exist; allowed: a .json or hwloc .xml file, host, a synthetic machine such as "
                  "'package:2 l3:1 core:4 pu:1', " +
                  skua::detail::list_of_names(names) +
                  "; nearest: " + std::string(skua::detail::nearest_name(name_or_file, names)));
}

}  // namespace skua::simulator
