// error: (no matching function|not satisfied|unsatisfied|use of deleted)
// A bound of type bool is a mistake: the author wrote a condition instead of a number.
#include <skua/parallel_for.hpp>

void f(int n) {
#ifdef SKUA_WRONG
  skua::parallel_for(0, n > 0, [](int) {});
#else
  skua::parallel_for(0, n, [](int) {});
#endif
}
