// The cost of policies and hints for a fork: fib without a cut-off, nanoseconds per fork, the best of fifteen
// interleaved runs.
//
//   build/release/bench/policy_costs
#include <skua/skua.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int n = 29;
constexpr double forks = 832'039;  // forks of fib(29)

long fib(int k) {
  if (k < 2) return k;
  auto [a, b] = skua::join([=] { return fib(k - 1); }, [=] { return fib(k - 2); });
  return a + b;
}
long hinted_fib(int k) {
  if (k < 2) return k;
  auto [a, b] = skua::join([=] { return hinted_fib(k - 1); },
                           skua::hinted(skua::depth{k}, [=] { return hinted_fib(k - 2); }));
  return a + b;
}

struct contender {
  std::string name;
  std::unique_ptr<skua::scheduler> pool;
  long (*code)();
  double joins;
  double best = 1e9;  // seconds
};

contender plain(const std::string& policy, std::int64_t workers) {
  const std::string name = policy + ", " + std::to_string(workers) + (workers == 1 ? " worker" : " workers");
  return {name,
          std::make_unique<skua::scheduler>(skua::scheduler_options{.workers = workers, .policy = policy}),
          [] { return fib(n); }, forks};
}

}  // namespace

int main() {
  std::vector<contender> all;
  for (const char* policy : {"nearest", "announced", "bitier", "managers", "chase_lev"})
    for (const std::int64_t workers : {1, 2}) all.push_back(plain(policy, workers));
  all.push_back(plain("nearest", 1));
  all.back().name = "every fork hinted, 1 worker";
  all.back().code = [] { return hinted_fib(n); };
  all.push_back(
      {"bitier, joins above the boundary, 2 workers of 2 domains",
       std::make_unique<skua::scheduler>(skua::scheduler_options{
           .workers = 2, .policy = "bitier", .topology = skua::topology::synthetic("package:2 core:1 pu:1")}),
       [] { return skua::shaped({.boundary_level = 60}, [] { return fib(20); }); }, 10'945});
  for (int round = 0; round < 15; ++round)
    for (contender& c : all) {
      const auto start = std::chrono::steady_clock::now();
      c.pool->run(c.code);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      c.best = std::min(c.best, took.count());
    }
  for (const contender& c : all) std::printf("%-58s %7.2f ns\n", c.name.c_str(), c.best / c.joins * 1e9);
}
