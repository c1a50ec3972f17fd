#include "cli/time_left.hpp"

#include <fmt/core.h>

#include <cmath>

namespace skua::cli {

void time_left::done(double share, double now) noexcept {
  if (share == share_) return;
  share_ = share;
  when_ = now;
}

std::optional<double> time_left::at(double now) const noexcept {
  constexpr double too_early = 1;
  if (!(share_ > 0) || when_ < too_early) return std::nullopt;
  const double left = when_ / share_ - now;
  return left > 0 ? std::optional(left) : std::nullopt;
}

std::string words_for(double seconds) {
  if (seconds < 59.5) return fmt::format("{:.0f} s", std::ceil(seconds));
  const auto minutes = static_cast<long>(std::lround(seconds / 60));
  if (minutes < 60) return fmt::format("{} min", minutes);
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                           : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace skua::cli
