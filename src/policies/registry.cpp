#include "policies/registry.hpp"

#include <array>

#include "topology/nearest_name.hpp"

namespace skua {

namespace {

struct entry {
  policy_info info;
  std::unique_ptr<steal_policy> (*make)();
};

constexpr std::array entries{
    entry{{"nearest", "the nearest victims first: same cache, same domain, then farther"},
          &policy::make_nearest},
    entry{{"random", "any other worker, with equal chances"}, &policy::make_random},
};

constexpr auto infos = [] {
  std::array<policy_info, entries.size()> all{};
  for (std::size_t i = 0; i < entries.size(); ++i) all[i] = entries[i].info;
  return all;
}();

}  // namespace

std::span<const policy_info> policies() { return infos; }

std::unique_ptr<steal_policy> make_policy(std::string_view name) {
  std::array<std::string_view, entries.size()> names;
  std::string allowed;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    names[i] = entries[i].info.name;
    if (names[i] == name) return entries[i].make();
    allowed += (i ? ", " : "") + std::string(names[i]);
  }
  throw bad_input("policy '" + std::string(name) + "' does not exist; allowed: " + allowed +
                  "; nearest: " + std::string(detail::nearest_name(name, names)));
}

}  // namespace skua
