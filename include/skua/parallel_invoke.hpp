// Runs callables in parallel and discards their results.
//
//   skua::parallel_invoke([&] { left(); }, [&] { right(); }, [&] { middle(); });
//
// Parameters: one or more callables without arguments. A single callable is called directly. Cost, exceptions and
// thread-safety are those of skua::join.
// Paper: as skua::join.
#pragma once

#include <utility>

#include <skua/join.hpp>

namespace skua {

/// Returns when all callables have ended.
template <class F, class... More>
void parallel_invoke(F&& f, More&&... more) {
  if constexpr (sizeof...(More) == 0)
    static_cast<void>(f());
  else
    static_cast<void>(join([&] { static_cast<void>(f()); }, [&] { static_cast<void>(more()); }...));
}

}  // namespace skua
