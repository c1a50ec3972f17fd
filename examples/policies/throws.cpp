// A policy that throws: skua prints one line on stderr and uses nearest instead.
#include <skua/skua.hpp>

#include <cstdio>
#include <stdexcept>

struct throws : skua::steal_policy {
  skua::stolen acquire(skua::thief&) override { throw std::runtime_error("no victim is good enough"); }
};
SKUA_POLICY(throws, "throws", "throws instead of stealing");

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  skua::scheduler pool({.policy = "throws"});
  const long answer = pool.run([] { return fib(30); });
  const auto steals = static_cast<unsigned long>(pool.report().total.steals);
  std::printf("%s: fib(30) = %ld, %lu steals\n", pool.policy().c_str(), answer, steals);
}
