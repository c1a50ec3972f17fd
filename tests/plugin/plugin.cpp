// A library that programs load while they run. It uses skua and is linked with it.
#include <skua/skua.hpp>

namespace {

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int fib_of_plugin(int n) {
  skua::scheduler pool({.workers = 2});
  return pool.run([=] { return fib(n); });
}
