#include "simulator/machine/value_sources.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

namespace skua::simulator {

using json = nlohmann::ordered_json;  // in the order of the file

namespace {

class source_list {
 public:
  /// `inherited` is what the whole around a part says.
  void add(const std::string& name, const json& part, const std::string& inherited = "") {
    if (part.is_object() && part.contains("v")) {
      found_.push_back({name, text_of(part.at("v")), said(part, inherited)});
    } else if (part.is_object()) {
      for (const auto& [key, value] : part.items())
        if (key != "src") add(name + "." + key, value, said(part, inherited));
    } else if (part.is_array() && !part.empty() && part[0].is_object()) {
      for (std::size_t i = 0; i < part.size(); ++i)
        add(name + "[" + std::to_string(i) + "]", part[i], inherited);
    } else {
      found_.push_back({name, text_of(part), inherited});
    }
  }

  std::vector<value_source> take() { return std::move(found_); }

 private:
  static std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  static std::string said(const json& part, const std::string& inherited) {
    const auto at = part.find("src");
    return at != part.end() && at->is_string() ? at->get<std::string>() : inherited;
  }

  std::vector<value_source> found_;
};

}  // namespace

std::vector<value_source> value_sources(std::string_view text) {
  const json file = json::parse(text);
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

}  // namespace skua::simulator
