// Environment variables, and refusals of their values.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <skua/topology.hpp>

#include "base/nearest_name.hpp"

namespace skua::base {

/// Empty if it is not set.
inline std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// A whole number from `min` to `max`; `default_value` if the variable is not set.
inline std::int64_t number_from(const char* name, std::int64_t min, std::int64_t max,
                                std::int64_t default_value) {
  const std::string_view text = variable(name);
  if (text.empty()) return default_value;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input(std::string(name) + " is '" + std::string(text) + "'; allowed: a whole number from " +
                    std::to_string(min) + " to " + std::to_string(max) + or_nearest(text, min, max));
  return in_range(name, value, min, max);
}

/// A number of bytes from `min` to `max`, in bytes or in a unit (base/number_text.hpp); `default_value` if the variable is
/// not set.
std::int64_t bytes_from(const char* name, std::int64_t min, std::int64_t max, std::int64_t default_value);

/// Whether the variable is on, yes, true or 1, and not off, no, false or 0; `default_value` if it is not set.
bool is_on(const char* name, bool default_value);

/// The result of f(). A refusal that it throws then names the variable, or begins with "VARIABLE is 'VALUE'".
template <class F>
auto of_variable(std::string_view name, F f) {
  try {
    return f();
  } catch (const bad_input& refusal) {
    throw bad_input(std::string(name) + ": " + refusal.what());
  }
}

}  // namespace skua::base
