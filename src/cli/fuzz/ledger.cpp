#include "cli/fuzz/ledger.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/random.hpp"

namespace skua::cli::fuzz {

ledger::ledger(std::uint32_t all) : times_(all), sums_(all + 1) {
  for (std::uint32_t i = 0; i < all; ++i) sums_[i + 1] = sums_[i] + core::generator_state(all, i);
}

void ledger::began(std::uint32_t task) {
  ++begun_;
  if (++times_[task] > 1) complain(fmt::format("task {} ran twice", task));
}

std::uint32_t ledger::ran(tasks which) const {
  return static_cast<std::uint32_t>(std::count_if(times_.begin() + which.first, times_.begin() + which.end(),
                                                  [](auto n) { return n != 0; }));
}

void ledger::complain(const std::string& what) {
  if (complaint_.empty()) complaint_ = what;
}

}  // namespace skua::cli::fuzz
