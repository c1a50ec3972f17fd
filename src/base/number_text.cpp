#include "base/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include "base/list_text.hpp"

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

// ---- lists

namespace {

// The length of the run from `begin` on whose numbers have the step of the first two.
std::size_t run_length(std::span<const std::uint32_t> numbers, std::size_t begin) {
  std::size_t end = begin + 1;
  if (end == numbers.size() || numbers[end] <= numbers[begin]) return 1;
  const std::uint32_t step = numbers[end] - numbers[begin];
  while (end < numbers.size() && numbers[end] > numbers[end - 1] && numbers[end] - numbers[end - 1] == step)
    ++end;
  return end - begin;
}

}  // namespace

std::string number_list(std::span<const std::uint32_t> numbers) {
  std::string text;
  const auto add = [&](std::string_view between, std::uint32_t number) {
    text += between;
    text += std::to_string(number);
  };
  for (std::size_t i = 0; i < numbers.size();) {
    add(i > 0 ? "," : "", numbers[i]);
    const std::size_t length = run_length(numbers, i);
    const bool dense = length > 1 && numbers[i + 1] == numbers[i] + 1;
    const bool run = length > 3 || (dense && length > 2);
    if (run && !dense) add(",", numbers[i + 1]);
    if (run) add(dense ? "-" : "..", numbers[i + length - 1]);
    i += run ? length : 1;
  }
  return text;
}

// ---- numbers of bytes, as users write them

namespace {

constexpr std::string_view units = "bkmgt";

/// The power of 1024 of "", "B", "k", "KB", "Ki", "KiB" and so on.
std::optional<unsigned> power_of(std::string_view unit) {
  if (unit.empty()) return 0;
  const std::size_t power = units.find(lower(unit.front()));
  if (power == std::string_view::npos) return std::nullopt;
  std::string rest(unit.substr(1));
  std::ranges::transform(rest, rest.begin(), lower);
  if (!rest.empty() && (power == 0 || (rest != "b" && rest != "i" && rest != "ib"))) return std::nullopt;
  return static_cast<unsigned>(power);
}

}  // namespace

std::optional<std::int64_t> byte_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  const std::optional<unsigned> power = power_of(text);
  if (!power) return std::nullopt;
  const unsigned bits = 10 * *power;
  if (number > (std::uint64_t{INT64_MAX} >> bits)) return std::nullopt;
  return static_cast<std::int64_t>(number << bits);
}

}  // namespace skua::base
