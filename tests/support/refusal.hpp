// What a call was refused with.
#pragma once

#include <skua/skua.hpp>

#include <string>

/// The message of the bad_input that `f` throws.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const skua::bad_input& refused) {
    return refused.what();
  }
  return "not refused";
}
