// error: (no matching function|not satisfied|unsatisfied|use of deleted)
// Positions are counted in 64 bits, so a range of a larger type would be truncated.
#include <skua/parallel_for.hpp>

#include <cstdint>

__extension__ using wide = __int128;

void f(std::int64_t n) {
#ifdef SKUA_WRONG
  skua::parallel_for(skua::blocked2d(0, 1, wide{0}, wide{n}), [](auto, auto) {});
#else
  skua::parallel_for(skua::blocked2d(0, 1, std::int64_t{0}, n), [](auto, auto) {});
#endif
}
