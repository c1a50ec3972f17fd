// Runs callables in parallel and throws their results away.
//
//   skua::parallel_invoke([&] { left(); }, [&] { right(); }, [&] { middle(); });
//
// As skua::join otherwise: same cost, exceptions and thread-safety. One callable is simply called.
#pragma once

#include <utility>

#include <skua/join.hpp>

namespace skua {

template <class F, class... More>
void parallel_invoke(F&& f, More&&... more) {
  if constexpr (sizeof...(More) == 0)
    static_cast<void>(f());
  else
    static_cast<void>(join([&] { static_cast<void>(f()); }, [&] { static_cast<void>(more()); }...));
}

}  // namespace skua
