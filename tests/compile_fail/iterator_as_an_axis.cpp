// error: (no matching function|not satisfied|unsatisfied)
// The bounds of an axis must be integers. An iterator and a number are not a valid pair of bounds.
#include <skua/parallel_for.hpp>

#include <vector>

void f(std::vector<int>& v) {
#ifdef SKUA_WRONG
  skua::parallel_for(skua::blocked(v.begin(), 3), [](auto, auto) {});
#else
  skua::parallel_for(skua::blocked(v.begin(), v.end()), [](auto, auto) {});
#endif
}
