// Finds a machine by its name or file, and works on the texts of machine files: smaller caches, another number of
// threads per core, the sources of the values.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <system_error>

#include <nlohmann/json.hpp>

#include <skua/topology.hpp>

#include "base/nearest_name.hpp"
#include "base/whole_file.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

namespace {

constexpr std::string_view divisor_prefix = "caches/";
constexpr unsigned max_divisor = 64;

/// Divides the sizes "size=1024)" of caches, but not of memories.
std::string with_smaller_sizes(const std::string& synthetic, unsigned divisor) {
  static const std::regex size("size=([0-9]+)");
  std::string text;
  auto from = synthetic.cbegin();
  for (std::smatch found; std::regex_search(from, synthetic.cend(), found, size); from = found[0].second) {
    text.append(from, found[1].first);
    text += std::to_string(std::stoull(found[1]) / divisor);
  }
  return text.append(from, synthetic.cend());
}

// "NAME@caches/4" is a machine with all caches four times smaller, for runs on a part of the data. The ratios of data
// to caches stay those of the whole machine, and fewer lines need to be simulated. Costs that do not depend on data
// stay as they are, so a steal costs more in relation to a leaf than on the whole machine.
struct machine_name {
  std::string machine;
  unsigned divisor = 1;  // of the cache sizes
};

/// Splits "opteron-8380-4s@caches/4". Throws bad_input for other text after the @.
machine_name split_name(const std::string& name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos) return {name};
  const std::string suffix = name.substr(at + 1);
  const bool fits = suffix.starts_with(divisor_prefix) && suffix.size() <= divisor_prefix.size() + 2;
  const std::string digits = fits ? suffix.substr(divisor_prefix.size()) : "";
  const bool whole = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  const unsigned divisor = whole ? static_cast<unsigned>(std::stoul(digits)) : 0;
  if (divisor < 1 || divisor > max_divisor)
    throw bad_input("'" + suffix.substr(0, 100) +
                    "' is not allowed after the @ of a machine; allowed: caches/1 to caches/" +
                    std::to_string(max_divisor) + "; nearest: caches/4");
  return {name.substr(0, at), divisor};
}

/// The text of a machine file with smaller caches. Text that is not JSON stays as it is; its parser will refuse it.
std::string with_smaller_caches(std::string_view text, unsigned divisor) {
  nlohmann::ordered_json machine = nlohmann::ordered_json::parse(text, nullptr, false);
  if (divisor == 1 || !machine.is_object()) return std::string(text);
  if (auto caches = machine.find("caches"); caches != machine.end() && caches->is_array())
    for (auto& one : *caches)
      if (auto size = one.find("size_kb"); size != one.end()) {
        auto& bare = size->is_object() && size->contains("v") ? (*size)["v"] : *size;
        if (bare.is_number_unsigned()) bare = bare.get<std::uint64_t>() / divisor;
      }
  if (auto tree = machine.find("synthetic"); tree != machine.end() && tree->is_string())
    *tree = with_smaller_sizes(tree->get<std::string>(), divisor);
  return machine.dump();
}

/// Whether the text cannot be a misspelt name of a machine.
bool describes_a_topology(const std::string& text) {
  std::error_code failed;
  return text == "host" || text.ends_with(".xml") || text.find_first_of("/: ") != std::string::npos ||
         std::filesystem::exists(text, failed);
}

/// The file's text with this number of threads per core in all values that depend on it.
std::string with_threads_a_core(const std::string& name, std::string_view text, unsigned threads) {
  nlohmann::json all = nlohmann::json::parse(text);
  const nlohmann::json choices = all.value("smt_choices", nlohmann::json::array());
  if (std::ranges::find(choices, nlohmann::json(threads)) == choices.end())
    throw bad_input("threads_a_core of a simulation of '" + name + "' is " + std::to_string(threads) +
                    "; allowed: 0 for the default" +
                    (choices.empty() ? "" : ", or one of " + choices.dump()) + "; nearest: 0");
  std::string synthetic = all.at("synthetic");
  const std::string default_threads = "pu:" + std::to_string(all.at("smt").get<unsigned>());
  synthetic.replace(synthetic.rfind(default_threads), default_threads.size(),
                    "pu:" + std::to_string(threads));
  all["synthetic"] = synthetic;
  all["smt"] = threads;
  all["expect"]["pus"] = all.at("expect").at("cores").get<unsigned>() * threads;
  return all.dump();
}

// ---- sources of values

using ordered_json = nlohmann::ordered_json;  // in the order of the file

class source_list {
 public:
  /// `inherited` is the source that the enclosing object names.
  void add(const std::string& name, const ordered_json& part, const std::string& inherited = "") {
    if (part.is_object() && part.contains("v")) {
      found_.push_back({name, text_of(part.at("v")), source_of(part, inherited)});
    } else if (part.is_object()) {
      for (const auto& [key, value] : part.items())
        if (key != "src") add(name + "." + key, value, source_of(part, inherited));
    } else if (part.is_array() && !part.empty() && part[0].is_object()) {
      for (std::size_t i = 0; i < part.size(); ++i)
        add(name + "[" + std::to_string(i) + "]", part[i], inherited);
    } else {
      found_.push_back({name, text_of(part), inherited});
    }
  }

  std::vector<value_source> take() { return std::move(found_); }

 private:
  static std::string text_of(const ordered_json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  static std::string source_of(const ordered_json& part, const std::string& inherited) {
    const auto at = part.find("src");
    return at != part.end() && at->is_string() ? at->get<std::string>() : inherited;
  }

  std::vector<value_source> found_;
};

}  // namespace

std::vector<value_source> value_sources(std::string_view text) {
  const ordered_json file = ordered_json::parse(text);
  source_list found;
  for (const char* key : {"freq_ghz", "sockets", "cores_per_socket", "smt", "smt_gain_percent", "numa_nodes",
                          "synthetic", "caches", "line_transfer_cycles", "memory", "slit"})
    if (file.contains(key)) found.add(key, file.at(key));
  for (const auto& [part, key] :
       {std::pair("interconnect", "hops"), std::pair("interconnect", "link_bytes_per_cycle"),
        std::pair("os", "page_policy")})
    if (file.contains(part) && file.at(part).contains(key))
      found.add(std::string(part) + "." + key, file.at(part).at(key));
  return found.take();
}

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
                  "; allowed: 0, or a machine that comes with skua and has smt_choices; nearest: 0");
}

machine_model find_machine(const std::string& name_or_file) {
  const auto [machine, divisor] = split_name(name_or_file);
  for (const known_machine& one : all_known_machines)
    if (one.name == machine) return parse_machine(name_or_file, with_smaller_caches(one.text, divisor));
  if (machine.ends_with(".json")) {
    std::error_code failed;
    if (std::filesystem::exists(machine, failed) && !std::filesystem::is_directory(machine, failed))
      return parse_machine(name_or_file,
                           with_smaller_caches(base::text_of_file(machine, allowed_machine_file), divisor));
  } else if (divisor == 1 && describes_a_topology(machine)) {
    return model_of(topology::parse(machine));
  }
  const std::vector<std::string_view> names = known_machines();
  throw bad_input("machine '" + name_or_file.substr(0, 200) +
                  "' does not exist; allowed: a .json or hwloc .xml file, host, a synthetic machine such as "
                  "'package:2 l3:1 core:4 pu:1', " +
                  base::list_of_names(names) + base::or_nearest(name_or_file, names));
}

}  // namespace skua::simulator
