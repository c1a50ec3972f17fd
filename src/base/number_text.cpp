#include "base/number_text.hpp"

#include <cmath>
#include <cstdio>

// The library contains this file and must not need fmt, hence snprintf.
namespace skua::base {

namespace {

std::string fixed(double value, int digits) {
  char text[400];  // the longest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string with_unit(double value, const char* unit) {
  return fixed(value, value < 9.95 ? 1 : 0) + " " + unit;
}

}  // namespace

std::string decimal(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 99.95)
    return count(static_cast<std::uint64_t>(std::llround(size))).insert(0, value < 0 ? "-" : "");
  return fixed(value, size >= 9.995 ? 1 : 2);
}

std::string short_number(double value) {
  if (std::isnan(value)) return "not defined";
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e15) {  // whole, rounded to three digits
    const double unit = std::pow(10, std::floor(std::log10(size)) - 2);
    return fixed(std::round(value / unit) * unit, 0);
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string percent(double share) {
  const double value = 100 * share;
  const bool nearly_all = value >= 99.5 && value < 99.95;
  if (std::abs(value) >= 9.95 && !nearly_all) return fixed(value, 0) + "%";
  if (std::abs(value) < 0.005) return "0%";
  return fixed(value, std::abs(value) < 0.095 ? 2 : 1) + "%";
}

std::string duration(double ns) {
  if (ns > 0 && ns < 0.95) return fixed(ns, 1) + " ns";
  if (ns < 999.5) return fixed(ns, 0) + " ns";
  if (ns < 999.5e3) return with_unit(ns / 1e3, "us");
  if (ns < 999.5e6) return with_unit(ns / 1e6, "ms");
  return with_unit(ns / 1e9, "s");
}

std::string amount_of_bytes(double bytes) {
  if (bytes < 999.5) return fixed(bytes, 0) + " B";
  if (bytes < 999.5e3) return with_unit(bytes / 1e3, "kB");
  if (bytes < 999.5e6) return with_unit(bytes / 1e6, "MB");
  return with_unit(bytes / 1e9, "GB");
}

std::string count(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string noun(std::uint64_t number, const char* singular) {
  return number == 1 ? singular : std::string(singular) + "s";
}

std::string counted(std::uint64_t number, const char* singular) {
  return count(number) + " " + noun(number, singular);
}

}  // namespace skua::base
