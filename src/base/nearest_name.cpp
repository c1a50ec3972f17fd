#include "base/nearest_name.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>
#include <vector>

#include "base/list_text.hpp"
#include "base/number_text.hpp"

namespace skua::base {

// Optimal string alignment; only the last three rows of the table of prefixes are needed.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view nearest_name(std::string_view input, std::span<const std::string_view> allowed) {
  input = input.substr(0, 256);  // bounds the cost for very long input
  std::string_view nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (std::string_view name : allowed) {
    std::size_t count = edits(input, name);
    const bool may_be_unfinished = input.size() > 2 && input.size() < name.size();
    if (may_be_unfinished) count = std::min(count, edits(input, name.substr(0, input.size())) + 1);
    if (count < fewest) {
      fewest = count;
      nearest = name;
    }
  }
  // A name with more differences is near in letters only. The dashes of an option do not count. A very short name lacks a letter.
  const std::size_t letters = input.size() - std::min(input.find_first_not_of('-'), input.size());
  const bool lacks_letters = letters == 2 && edits(input, nearest.substr(0, input.size())) == 0;
  const std::size_t most = letters > 2 ? (letters + 1) / 3 : lacks_letters ? 1 : 0;
  return fewest <= most ? nearest : std::string_view();
}

std::string or_nearest(std::string_view input, std::span<const std::string_view> allowed) {
  const std::string_view nearest = nearest_name(input, allowed);
  return nearest.empty() ? std::string() : "; nearest: " + std::string(nearest);
}

std::string or_nearest(std::string_view text, std::int64_t min, std::int64_t max) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const char* const end = text.data() + text.size();
  std::int64_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) number = text.front() == '-' ? min : max;
  const std::string_view rest(stopped, end);
  if (rest.empty() ||
      (rest.size() == 1 && !byte_number("1" + std::string(rest))))  // "3x" is a slip of the finger
    return "; nearest: " + std::to_string(std::clamp(number, min, max));
  // "1e3" or "1.5". Other texts mean something else than the number at their beginning: "1G", "1,000", "0x10".
  double real = 0;
  const auto [real_stopped, real_error] = std::from_chars(text.data(), end, real);
  if (real_error != std::errc() || real_stopped != end) return {};
  real = std::trunc(real);
  if (real >= static_cast<double>(max)) return "; nearest: " + std::to_string(max);
  if (real <= static_cast<double>(min)) return "; nearest: " + std::to_string(min);
  return "; nearest: " + std::to_string(static_cast<std::int64_t>(real));
}

std::string list_of_names(std::span<const std::string_view> names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " or " : ", ";
    list += names[i];
  }
  return list;
}

}  // namespace skua::base
