#include "base/byte_number.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

#include "base/list_text.hpp"

namespace skua::base {
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
