#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/nearest_name.hpp"
#include "base/text_file.hpp"
#include "simulator/machine/known_machines.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/smaller_caches.hpp"

namespace skua::simulator {

namespace {

/// Not what could be a misspelt name.
bool describes_a_topology(const std::string& text) {
  std::error_code failed;
  return text == "host" || text.ends_with(".xml") || text.find_first_of("/: ") != std::string::npos ||
         std::filesystem::exists(text, failed);
}

/// The file's text with another number of them wherever it says how many there are.
std::string with_threads_a_core(const std::string& name, std::string_view text, unsigned threads) {
  nlohmann::json all = nlohmann::json::parse(text);
  const nlohmann::json choices = all.value("smt_choices", nlohmann::json::array());
  if (std::ranges::find(choices, nlohmann::json(threads)) == choices.end())
    throw bad_input("threads_a_core of a simulation of '" + name + "' is " + std::to_string(threads) +
                    "; allowed: 0 for the usual number, or one of " + choices.dump() + "; nearest: 0");
  std::string synthetic = all.at("synthetic");
  const std::string usual = "pu:" + std::to_string(all.at("smt").get<unsigned>());
  synthetic.replace(synthetic.rfind(usual), usual.size(), "pu:" + std::to_string(threads));
  all["synthetic"] = synthetic;
  all["smt"] = threads;
  all["expect"]["pus"] = all.at("expect").at("cores").get<unsigned>() * threads;
  return all.dump();
}

}  // namespace

std::vector<std::string_view> known_machines() {
  std::vector<std::string_view> names;
  for (const known_machine& one : all_known_machines) names.push_back(one.name);
  return names;
}

machine_model find_machine(const std::string& name_or_file, unsigned threads_a_core) {
  if (threads_a_core == 0) return find_machine(name_or_file);
  for (const known_machine& one : all_known_machines)
    if (one.name == name_or_file)
      return parse_machine(name_or_file, with_threads_a_core(name_or_file, one.text, threads_a_core));
  throw bad_input("threads_a_core of a simulation of '" + name_or_file.substr(0, 200) + "' is " +
                  std::to_string(threads_a_core) +
                  "; allowed: with a machine that comes with skua and has smt_choices, or 0; nearest: 0");
}

machine_model find_machine(const std::string& name_or_file) {
  const auto [machine, part] = parted(name_or_file);
  for (const known_machine& one : all_known_machines)
    if (one.name == machine) return parse_machine(name_or_file, with_smaller_caches(one.text, part));
  if (machine.ends_with(".json")) {
    std::error_code failed;
    if (std::filesystem::exists(machine, failed) && !std::filesystem::is_directory(machine, failed))
      return parse_machine(
          name_or_file, with_smaller_caches(skua::base::text_of_file(machine, allowed_machine_file), part));
  } else if (part == 1 && describes_a_topology(machine)) {
    return model_of(topology::parse(machine));
  }
  const std::vector<std::string_view> names = known_machines();
  throw bad_input("machine '" + name_or_file.substr(0, 200) +
                  "' does not exist; allowed: a .json or hwloc .xml file, host, a synthetic machine such as "
                  "'package:2 l3:1 core:4 pu:1', " +
                  skua::base::list_of_names(names) +
                  "; nearest: " + std::string(skua::base::nearest_name(name_or_file, names)));
}

}  // namespace skua::simulator
