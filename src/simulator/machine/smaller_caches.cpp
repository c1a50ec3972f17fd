#include "simulator/machine/smaller_caches.hpp"

#include <nlohmann/json.hpp>
#include <regex>

#include <skua/topology.hpp>

namespace skua::simulator {

namespace {

constexpr std::string_view before_part = "caches/";
constexpr unsigned max = 64;

/// "size=1024)" of caches, not of memories.
std::string with_smaller_sizes(const std::string& synthetic, unsigned part) {
  static const std::regex size("size=([0-9]+)");
  std::string text;
  auto from = synthetic.cbegin();
  for (std::smatch found; std::regex_search(from, synthetic.cend(), found, size); from = found[0].second) {
    text.append(from, found[1].first);
    text += std::to_string(std::stoull(found[1]) / part);
  }
  return text.append(from, synthetic.cend());
}

}  // namespace

machine_and_part parted(const std::string& name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos) return {name};
  const std::string words = name.substr(at + 1);
  const bool fits = words.starts_with(before_part) && words.size() <= before_part.size() + 2;
  const std::string digits = fits ? words.substr(before_part.size()) : "";
  const bool whole = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  const unsigned part = whole ? static_cast<unsigned>(std::stoul(digits)) : 0;
  if (part < 1 || part > max)
    throw bad_input("'" + words.substr(0, 100) +
                    "' is not allowed after the @ of a machine; allowed: caches/1 to caches/" +
                    std::to_string(max) + "; nearest: caches/4");
  return {name.substr(0, at), part};
}

std::string with_smaller_caches(std::string_view text, unsigned part) {
  nlohmann::ordered_json machine = nlohmann::ordered_json::parse(text, nullptr, false);
  if (part == 1 || !machine.is_object()) return std::string(text);
  if (auto caches = machine.find("caches"); caches != machine.end() && caches->is_array())
    for (auto& one : *caches)
      if (auto size = one.find("size_kb"); size != one.end()) {
        auto& bare = size->is_object() && size->contains("v") ? (*size)["v"] : *size;
        if (bare.is_number_unsigned()) bare = bare.get<std::uint64_t>() / part;
      }
  if (auto tree = machine.find("synthetic"); tree != machine.end() && tree->is_string())
    *tree = with_smaller_sizes(tree->get<std::string>(), part);
  return machine.dump();
}

}  // namespace skua::simulator
