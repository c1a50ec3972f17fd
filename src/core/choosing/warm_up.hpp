// The first samples of a call site, under the default. First touches place pages, and a policy may learn for some episodes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/choosing/samples.hpp"
#include "core/choosing/steady_time.hpp"

namespace skua::core {

class warm_up {
 public:
  /// Whether this is the last sample: those of the default are steady now, or do not become so.
  bool ends_with(double each, steady_time& of_default) noexcept {
    if (all_.number() == 0) first_ = each;
    all_.add(each);
    if (all_.number() <= at_least) return false;
    of_default.add(each);
    return of_default.is_steady() || all_.number() >= at_most;
  }
  /// What it took more than as many warm samples, in warm samples.
  double cost(double warm) const noexcept { return std::max(0.0, all_.number() * (all_.mean() / warm - 1)); }
  /// How many times as long as a warm one an episode with cold caches may take.
  double cold(double warm) const noexcept { return std::clamp(first_ / warm, least_cold, most_cold); }

  static constexpr double least_cold = 1.3, most_cold = 4;

 private:
  static constexpr std::uint32_t at_least = 2, at_most = 12;
  samples all_;
  double first_ = 0;
};

}  // namespace skua::core
