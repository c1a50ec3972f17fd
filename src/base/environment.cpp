#include "base/environment.hpp"

#include <algorithm>
#include <optional>

#include "base/list_text.hpp"
#include "base/number_text.hpp"

namespace skua::base {

namespace {

/// The limit that is nearest to a negative number or to one that needs more than 63 bits; none for another text.
std::optional<std::int64_t> nearest_to_unreadable(std::string_view text, std::int64_t min, std::int64_t max) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || !byte_number("1" + std::string(text.substr(digits)))) return std::nullopt;
  return negative ? min : max;
}

}  // namespace

std::int64_t bytes_from(const char* name, std::int64_t min, std::int64_t max, std::int64_t default_value) {
  const std::string_view text = variable(name);
  if (text.empty()) return default_value;
  const std::optional<std::int64_t> value = byte_number(text);
  if (value && *value >= min && *value <= max) return *value;
  std::string refusal = std::string(name) + " is '" + std::string(text.substr(0, 200)) +
                        "'; allowed: " + std::to_string(min) + " to " + std::to_string(max) +
                        std::string(byte_units);
  if (const auto nearest = value ? value : nearest_to_unreadable(text, min, max))
    refusal += "; nearest: " + std::to_string(std::clamp(*nearest, min, max));
  throw bad_input(refusal);
}

bool is_on(const char* name, bool default_value) {
  // In pairs: off, on.
  static constexpr std::string_view words[] = {"0", "1", "off", "on", "no", "yes", "false", "true"};
  std::string text(variable(name));
  if (text.empty()) return default_value;
  std::ranges::transform(text, text.begin(), lower);
  const auto found = std::ranges::find(words, text);
  if (found == std::end(words))
    throw bad_input(std::string(name) + " is '" + std::string(variable(name).substr(0, 200)) +
                    "'; allowed: " + list_of_names(words) + or_nearest(text, words));
  return (found - std::begin(words)) % 2 == 1;
}

}  // namespace skua::base
