// This library uses a policy of another library, which the program has closed.
#include <skua/skua.hpp>

#include <atomic>

extern "C" [[gnu::visibility("default")]] int sum_by_closed_policy() {
  std::size_t names = 0;
  for (const skua::policy_info* policy : skua::policies()) names += policy->name == "policy_of_plugin";
  if (names != 1) return -1;
  skua::scheduler pool({.workers = 2, .policy = "policy_of_plugin"});
  std::atomic<int> sum{0};
  pool.run([&] { skua::parallel_for(0, 100, [&](int i) { sum += i; }); });
  return sum;
}
