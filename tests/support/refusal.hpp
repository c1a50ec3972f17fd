// The message with which a call was refused.
#pragma once

#include <skua/skua.hpp>

#include <string>

/// Returns the message of the bad_input that `f` throws.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const skua::bad_input& refused) {
    return refused.what();
  }
  return "not refused";
}
