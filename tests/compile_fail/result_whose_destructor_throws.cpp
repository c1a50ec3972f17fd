// error: the destructor of a result must not throw
// A result that no caller takes is destroyed where no caller could catch an exception.
#include <skua/join.hpp>

struct result {
#ifdef SKUA_WRONG
  ~result() noexcept(false) {}
#else
  ~result() {}
#endif
};

void f() {
  skua::join([] { return result(); }, [] { return result(); });
}
