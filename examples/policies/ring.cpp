// A complete policy in ten lines, and a program with an option for policies:  ring [--policy NAME]
#include <skua/skua.hpp>

#include <cstdio>
#include <cstring>

struct ring : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (std::size_t i = 1; i < t.workers(); ++i) {
      const auto victim = static_cast<skua::worker_id>((t.id() + i) % t.workers());
      if (skua::stolen task = t.try_steal(victim)) return task;
    }
    return {};
  }
};
SKUA_POLICY(ring, "ring", "each worker once, starting with the next one");

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main(int count, char** arguments) try {
  const bool chosen = count == 3 && std::strcmp(arguments[1], "--policy") == 0;
  skua::scheduler pool({.policy = chosen ? arguments[2] : "ring"});
  const long answer = pool.run([] { return fib(30); });
  const auto steals = static_cast<unsigned long>(pool.report().total.steals);
  std::printf("%s: fib(30) = %ld, %lu steals\n", pool.policy().c_str(), answer, steals);
} catch (const skua::bad_input& wrong) {
  std::fprintf(stderr, "ring: %s\n", wrong.what());
  return 2;
}
