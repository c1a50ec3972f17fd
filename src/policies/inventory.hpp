// TATL's thresholds, after the reorder points of inventory control.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <skua/steal_policy.hpp>

namespace skua::policy {

/// S = C - lambda * T_push + mu * T_pop and s = mu * T_pop, rounded to whole tasks. At S there are enough tasks even if
/// the next push is late. At s there are as many tasks as the worker runs while it takes one out. S is at least s + 1.
inline announce_thresholds inventory_thresholds(std::size_t capacity, const queue_rates& rates) {
  const double arriving = rates.arrivals_per_s * rates.push_ns * 1e-9;
  const double served = rates.services_per_s * rates.pop_ns * 1e-9;
  const double lower = std::max(0.0, std::round(served));
  const double upper = std::max(lower + 1, std::round(static_cast<double>(capacity) - arriving + served));
  return {.upper = static_cast<std::size_t>(upper), .lower = static_cast<std::size_t>(lower)};
}

}  // namespace skua::policy
