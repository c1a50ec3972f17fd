// A policy that never steals: the program runs on the worker that started it.
#include <skua/skua.hpp>

#include <cstdio>

struct never_steals : skua::steal_policy {
  skua::stolen acquire(skua::thief&) override { return {}; }
};
SKUA_POLICY(never_steals, "never_steals", "never steals");

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  skua::scheduler pool({.policy = "never_steals"});
  const long answer = pool.run([] { return fib(34); });  // long enough for the message, even on one CPU
  const auto steals = static_cast<unsigned long>(pool.report().total.steals);
  std::printf("%s: fib(34) = %ld, %lu steals\n", pool.policy().c_str(), answer, steals);
}
