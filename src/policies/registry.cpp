#include "policies/registry.hpp"

#include <array>

#include "topology/nearest_name.hpp"

namespace skua {

namespace {

constexpr std::array all{&policy::nearest,     &policy::random, &policy::round_robin,
                         &policy::most_loaded, &policy::mix,    &policy::chaos};

constexpr auto infos = [] {
  std::array<const policy_info*, all.size()> list{};
  for (std::size_t i = 0; i < all.size(); ++i) list[i] = &all[i]->info;
  return list;
}();

}  // namespace

std::span<const policy_info* const> policies() { return infos; }

std::unique_ptr<steal_policy> make_policy(std::string_view text) {
  const auto [name, inside] = policy::split_name(text);
  std::array<std::string_view, all.size()> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    names[i] = all[i]->info.name;
    if (names[i] == name) return all[i]->make(policy::arguments(name, inside, all[i]->info.options));
  }
  throw bad_input("policy '" + std::string(name) + "' does not exist; allowed: " + detail::list_of_names(names) +
                  "; nearest: " + std::string(detail::nearest_name(name, names)));
}

}  // namespace skua
