#include "cli/refusals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/nearest_name.hpp"
#include "topology/level_names.hpp"

namespace skua::cli {

std::string no_such(std::string_view what, std::string_view given,
                    const std::vector<std::string_view>& allowed) {
  return fmt::format("{}{}'{}' does not exist; allowed: {}{}", what, what.empty() ? "" : " ",
                     given.substr(0, 200), base::list_of_names(allowed), base::or_nearest(given, allowed));
}

value_check whole_number(std::int64_t min, std::int64_t max, std::string_view word) {
  const auto complaint = [=](std::string& text) -> std::string {
    if (!word.empty() && text == word) return {};
    const char* const end = text.data() + text.size();
    std::int64_t number = 0;
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (stopped == end && error == std::errc() && number >= min && number <= max) return {};
    std::string nearest = base::or_nearest(text, min, max);
    if (nearest.empty() && !word.empty()) nearest = base::or_nearest(text, {&word, 1});
    return fmt::format("'{}' is not allowed; allowed: {}{}a whole number from {} to {}{}",
                       text.substr(0, 200), word, word.empty() ? "" : " or ", min, max, nearest);
  };
  return {complaint, word.empty() ? "NUMBER" : fmt::format("NUMBER or {}", word)};
}

value_check real_number(double min, double max) {
  const auto complaint = [=](std::string& text) -> std::string {
    const char* const end = text.data() + text.size();
    double number = 0;
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    const bool is_one = stopped == end && error == std::errc() && !std::isnan(number);
    if (is_one && number >= min && number <= max) return {};
    return fmt::format("'{}' is not allowed; allowed: a number from {} to {}{}", text.substr(0, 200), min,
                       max, is_one ? fmt::format("; nearest: {}", std::clamp(number, min, max)) : "");
  };
  return {complaint, "NUMBER"};
}

std::string by_either_name(std::string level) { return std::string(detail::level_name(level)); }

value_check one_of(std::vector<std::string_view> allowed) {
  const std::string choices = base::list_of_names(allowed);
  const auto complaint = [allowed = std::move(allowed)](std::string& text) -> std::string {
    if (std::ranges::find(allowed, text) != allowed.end()) return {};
    return no_such({}, text, allowed);
  };
  return {complaint, choices};
}

}  // namespace skua::cli
