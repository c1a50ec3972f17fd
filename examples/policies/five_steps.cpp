// The five steps of user-defined stealing: selects the candidate with the shallower next task of two.
#include <skua/skua.hpp>

#include <cstdio>

struct five_steps : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    skua::worker_id target = t.id();
    std::int64_t lowest = 0;
    for (const skua::worker_id candidate : t.random_workers(2)) {  // 1. select candidates
      const auto seen = t.peek<skua::depth>(candidate);            // 2. look at their hints
      if (!seen || (target != t.id() && seen->value >= lowest)) continue;
      target = candidate;  // 3. select one of them
      lowest = seen->value;
    }
    if (target == t.id()) return {};
    return t.try_steal(target, [&](const skua::hint& h) {                  // 4. try to steal from it
      return h.as<skua::depth>() && h.as<skua::depth>()->value <= lowest;  // 5. confirm what is stolen
    });
  }
};
SKUA_POLICY(five_steps, "five_steps", "the candidate with the shallower next task of two");

long fib(long n, std::int64_t level) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1, level + 1); },
                           skua::hinted(skua::depth{level + 1}, [=] { return fib(n - 2, level + 1); }));
  return a + b;
}

int main() {
  skua::scheduler pool({.policy = "five_steps"});
  const long answer = pool.run([] { return fib(30, 0); });
  const auto steals = static_cast<unsigned long>(pool.report().total.steals);
  std::printf("%s: fib(30) = %ld, %lu steals\n", pool.policy().c_str(), answer, steals);
}
