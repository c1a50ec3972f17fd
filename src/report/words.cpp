#include "report/words.hpp"

#include <fmt/core.h>

#include <cmath>

namespace skua::reports {

std::string decimal(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 99.95)
    return count(static_cast<std::uint64_t>(std::llround(size))).insert(0, value < 0 ? "-" : "");
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string percent(double share) {
  const double value = 100 * share;
  const bool nearly_all = value >= 99.5 && value < 99.95;
  if (std::abs(value) >= 9.95 && !nearly_all) return fmt::format("{:.0f}%", value);
  if (std::abs(value) < 0.005) return "0%";
  return fmt::format("{:.{}f}%", value, std::abs(value) < 0.095 ? 2 : 1);
}

namespace {

std::string with_unit(double value, const char* unit) {
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, unit);
}

}  // namespace

std::string duration(double ns) {
  if (ns > 0 && ns < 0.95) return fmt::format("{:.1f} ns", ns);
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return with_unit(ns / 1e3, "us");
  if (ns < 999.5e6) return with_unit(ns / 1e6, "ms");
  return with_unit(ns / 1e9, "s");
}

std::string amount_of_bytes(double bytes) {
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  if (bytes < 999.5e3) return with_unit(bytes / 1e3, "kB");
  if (bytes < 999.5e6) return with_unit(bytes / 1e6, "MB");
  return with_unit(bytes / 1e9, "GB");
}

std::string count(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string counted(std::uint64_t number, const char* singular) {
  return fmt::format("{} {}{}", count(number), singular, number == 1 ? "" : "s");
}

}  // namespace skua::reports
