// A policy whose confirm refuses everything, so each task stays with its victim.
#include <skua/skua.hpp>

#include <cstdio>

struct always_refuses : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim, [](const skua::hint&) { return false; })) return task;
    return {};
  }
};
SKUA_POLICY(always_refuses, "always_refuses", "asks all workers and takes nothing");

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  skua::scheduler pool({.policy = "always_refuses"});
  const long answer = pool.run([] { return fib(34); });  // long enough for the message, even on one CPU
  const auto steals = static_cast<unsigned long>(pool.report().total.steals);
  std::printf("%s: fib(34) = %ld, %lu steals\n", pool.policy().c_str(), answer, steals);
}
