#include "topology/hwloc_tree.hpp"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <system_error>

#include "base/nearest_name.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

constexpr std::array<std::string_view, 15> types = {"package", "die", "group", "numa", "l5",
                                                    "l4",      "l3",  "l2",    "l1",   "l3i",
                                                    "l2i",     "l1i", "l1d",   "core", "pu"};
constexpr std::string_view shown = "package, die, group, numa, l5 to l1, core or pu";
constexpr std::size_t longest = 4096;

[[noreturn]] void refuse(const std::string& description, const std::string& because) {
  throw bad_input("synthetic topology '" + description.substr(0, 200) + "': " + because);
}

struct level {
  std::string type;     // empty for a bare count
  std::string count;    // what follows the colon
  bool memory = false;  // [numa], which is not a level of the tree and does not multiply
};

// Splits "(root) package:2 [numa(memory=1GB)] core:4(indexes=...) 2" into levels. hwloc reads the text in brackets.
class level_reader {
 public:
  explicit level_reader(std::string_view text) : rest_(text) { skip_attributes(); }

  bool next(level& found) {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (rest_.empty()) return false;
    found = {};
    found.memory = rest_.front() == '[';
    if (found.memory) rest_.remove_prefix(1);
    found.type = take_until(found.memory ? " :(]" : " :([");
    const bool bare = !found.type.empty() && std::isdigit(static_cast<unsigned char>(found.type.front()));
    if (bare) {
      std::swap(found.type, found.count);
    } else if (!rest_.empty() && rest_.front() == ':') {
      rest_.remove_prefix(1);
      found.count = take_until(found.memory ? " (]" : " ([");
    }
    skip_attributes();
    if (found.memory) {
      take_until("]");
      if (!rest_.empty()) rest_.remove_prefix(1);
    }
    return true;
  }

 private:
  std::string take_until(std::string_view stops) {
    const std::size_t end = std::min(rest_.find_first_of(stops), rest_.size());
    std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return taken;
  }
  void skip_attributes() {
    if (rest_.empty() || rest_.front() != '(') return;
    rest_.remove_prefix(std::min(rest_.find(')'), rest_.size() - 1) + 1);
  }

  std::string_view rest_;
};

hwloc_obj_type_t type_of(const std::string& name) {
  hwloc_obj_type_t type = HWLOC_OBJ_TYPE_MAX;
  return hwloc_type_sscanf(name.c_str(), &type, nullptr, 0) == 0 ? type : HWLOC_OBJ_TYPE_MAX;
}

bool is_level(hwloc_obj_type_t type) {
  if (type == HWLOC_OBJ_TYPE_MAX) return false;
  return type == HWLOC_OBJ_NUMANODE || (hwloc_obj_type_is_normal(type) && type != HWLOC_OBJ_MACHINE);
}

std::size_t count_of(const std::string& description, const level& found) {
  std::size_t count = 0;
  const auto [end, error] =
      std::from_chars(found.count.data(), found.count.data() + found.count.size(), count);
  const std::string what = found.type.empty() ? "a level" : "'" + found.type + "'";
  if (error == std::errc::result_out_of_range) refuse(description, "a machine may have at most 8192 CPUs");
  if (error != std::errc() || end != found.count.data() + found.count.size() || count == 0) {
    refuse(description, "the count of " + what + " is '" + found.count +
                            "', it must be a number of 1 or more, as in '" +
                            (found.type.empty() ? "pu" : found.type) + ":2'");
  }
  return count;
}

}  // namespace

void check_synthetic(const std::string& description) {
  if (description.find_first_not_of(' ') == std::string::npos)
    refuse(description, "it is empty; try 'core:4 pu:1'");
  if (description.size() > longest) refuse(description, "it is longer than 4096 characters");
  level_reader reader(description);
  level found;
  std::size_t cpus = 1;
  bool has_pu = false, ends_in_pu = false;
  while (reader.next(found)) {
    if (!found.type.empty() && !is_level(type_of(found.type))) {
      const std::string nearest(base::nearest_name(found.type, types));
      refuse(description, "'" + found.type + "' must be " + std::string(shown) +
                              (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    if (found.memory) continue;
    const std::size_t count = count_of(description, found);
    if (count > max_cpus / cpus) refuse(description, "a machine may have at most 8192 CPUs");
    cpus *= count;
    ends_in_pu = found.type.empty() ||
                 type_of(found.type) == HWLOC_OBJ_PU;  // hwloc takes a final count without a type for CPUs
    has_pu |= ends_in_pu && !found.type.empty();
  }
  if (ends_in_pu) return;
  refuse(description,
         has_pu ? "'pu' must be the last level" : "its last level must be 'pu'; add ' pu:1' to its end");
}

void refuse_synthetic(const std::string& description) {
  refuse(description,
         "hwloc refuses it; allowed: " + std::string(shown) +
             ", from the outside in, each once with its count, as in 'package:2 l3:1 core:4 pu:2'");
}

}  // namespace skua::detail
