// A policy for real programs: draws two victims at random and steals from the one with more tasks, near victims first.
#include <skua/skua.hpp>

#include <cstdio>

struct richest_of_two : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (std::size_t level = 0; level < t.levels(); ++level) {
      const auto victims = t.at_distance(level);
      if (victims.empty()) continue;
      const skua::worker_id one = victims[t.random(victims.size())];
      const skua::worker_id other = victims[t.random(victims.size())];
      const std::size_t load = t.load(one), load_of_other = t.load(other);
      if (load == 0 && load_of_other == 0) continue;
      if (skua::stolen task = t.try_steal(load < load_of_other ? other : one)) return task;
    }
    return {};
  }
};
SKUA_POLICY(richest_of_two, "richest_of_two", "of two random victims the richer one, near ones first");

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  skua::scheduler pool({.policy = "richest_of_two"});
  const long answer = pool.run([] { return fib(30); });
  const auto steals = static_cast<unsigned long>(pool.report().total.steals);
  std::printf("%s: fib(30) = %ld, %lu steals\n", pool.policy().c_str(), answer, steals);
}
