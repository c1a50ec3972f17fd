// Which domain runs which part of a region, if the policy spreads the tasks of regions (steal_policy::spreads).
//
// A region begins with the ring of all domains that have workers, from the domain of its first worker on. A join divides the part
// of its task: the first child gets the first half, and the second child the other half. So a task of the same place in the
// recursion is always meant for the same domain. The parts are counted in 1/256 of a domain, because the number of domains need
// not be a power of two: with 24 domains, the tasks of level 5 are meant for 0.75 domains each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <skua/detail/task_context.hpp>

namespace skua::core {

inline constexpr std::size_t domain_unit = 256;

/// All domains, from the one with index `first` on. Nothing if there are too many domains to count.
constexpr detail::domain_part all_domains(std::size_t first, std::size_t domains) noexcept {
  if (domains * 2 * domain_unit > UINT16_MAX) return {};
  return {static_cast<std::uint16_t>(first * domain_unit), static_cast<std::uint16_t>(domains * domain_unit)};
}

struct divided_part {
  detail::domain_part first, second;
};

/// The parts of the two children of a join. The first one is itself a join of `siblings` tasks, or a task (0).
constexpr divided_part divide(detail::domain_part whole, unsigned siblings) noexcept {
  const unsigned children = std::max(1u, siblings) + 1;
  if (whole.size < children) return {whole, whole};
  const auto second = static_cast<std::uint16_t>(whole.size / children);
  const auto first = static_cast<std::uint16_t>(whole.size - second);
  return {{whole.begin, first}, {static_cast<std::uint16_t>(whole.begin + first), second}};
}

/// The index of the domain at which the part begins, of so many.
constexpr std::size_t domain_at(detail::domain_part part, std::size_t domains) noexcept {
  return part.begin / domain_unit % domains;
}

}  // namespace skua::core
