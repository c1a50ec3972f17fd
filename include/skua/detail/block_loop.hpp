// A loop over blocks of positions whose code does not depend on the body's type, so that a program has it once. It calls
// the body by a pointer.
#pragma once

#include <cstddef>

#include <skua/parallel_for.hpp>

namespace skua::detail {

inline void for_blocks(std::ptrdiff_t n, std::ptrdiff_t grain,
                       void (*run)(void* body, std::ptrdiff_t from, std::ptrdiff_t to), void* body) {
  parallel_for(blocked(std::ptrdiff_t{0}, n, grain),
               [=](std::ptrdiff_t from, std::ptrdiff_t to) { run(body, from, to); });
}

/// Calls body(from, to) for parts of 0 .. n-1 of at least `grain` positions.
template <class Body>
void for_blocks(std::ptrdiff_t n, std::ptrdiff_t grain, Body body) {
  for_blocks(
      n, grain,
      [](void* self, std::ptrdiff_t from, std::ptrdiff_t to) { (*static_cast<Body*>(self))(from, to); },
      &body);
}

}  // namespace skua::detail
