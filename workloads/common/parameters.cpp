#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "workloads/common/workload.hpp"

namespace workloads {

namespace {

bool is_unit(char c) { return std::string_view("kKmMgGtT").find(c) != std::string_view::npos; }

}  // namespace

std::string parameters::text(std::string_view option, std::string_view default_value) const {
  const auto given = options.find(option);
  return given == options.end() ? std::string(default_value) : given->second;
}

std::string parameters::choice(std::string_view option,
                               std::initializer_list<std::string_view> allowed) const {
  const std::string value = text(option, *allowed.begin());
  if (std::ranges::find(allowed, value) != allowed.end()) return value;
  std::string list;
  for (std::string_view a : allowed) list.append(list.empty() ? "" : ", ").append(a);
  throw skua::bad_input(std::string(option) + " is '" + value + "'; allowed: " + list);
}

std::int64_t parameters::number(std::string_view option, std::int64_t default_value, std::int64_t min,
                                std::int64_t max) const {
  const std::string value = text(option, std::to_string(default_value));
  const char* const end = value.data() + value.size();
  std::int64_t number = 0;
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stopped == end && number >= min && number <= max) return number;
  if (error == std::errc::result_out_of_range) number = value.front() == '-' ? min : max;
  // "1G" and "1e6" mean other numbers than 1, but "2x" may be a misspelt 2. base::or_nearest() knows more, but the contest's
  // programs for other runtimes compile this file without skua's sources.
  const bool is_near = stopped == end || (end - stopped == 1 && !is_unit(*stopped));
  const bool is_number = error != std::errc::invalid_argument && is_near;
  throw skua::bad_input(std::string(option) + " is '" + value + "'; allowed: a whole number from " +
                        std::to_string(min) + " to " + std::to_string(max) +
                        (is_number ? "; nearest: " + std::to_string(std::clamp(number, min, max)) : ""));
}

}  // namespace workloads
