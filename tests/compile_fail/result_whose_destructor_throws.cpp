// error: the destructor of a result must not throw
// Results that nothing takes are destroyed where an exception could reach nobody.
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
