// Variables of the environment, and refusals of what they say.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <skua/topology.hpp>

namespace skua::detail {

/// Empty where there is none.
inline std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// What f() returns; its refusal then names the variable from which the input came.
template <class F>
auto of_variable(std::string_view name, F f) {
  try {
    return f();
  } catch (const bad_input& refusal) {
    throw bad_input(std::string(name) + ": " + refusal.what());
  }
}

}  // namespace skua::detail
