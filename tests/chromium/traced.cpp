// Writes a trace of everything that traces show: joins, group tasks, steals, spans, sleep and messages of managers. One
// scheduler has threads. Two are simulated: in one, managers send the tasks to the workers; in the other, the workers steal.
#include <cstdio>
#include <string>

#include <skua/skua.hpp>

#include "../support/until.hpp"

namespace {

long tree(int depth) {
  if (depth == 0) return skua::costs(5000), 1;
  const skua::trace_span level("level " + std::to_string(depth));
  auto [a, b] = skua::join([=] { return tree(depth - 1); }, [=] { return tree(depth - 1); });
  return a + b;
}

void children() {
  skua::task_group group;
  for (int i = 0; i < 8; ++i)
    group.run([] {
      const skua::trace_span child("a \"child\" <of> the group");
      tree(3);
    });
  group.wait();
}

void assembly() {
  const skua::trace_span outer("assembly");
  {
    const skua::trace_span inner("inner");
    tree(2);
  }
  children();
}

/// Repeats until workers have stolen and slept.
void on_threads() {
  skua::scheduler pool({.workers = 3});
  pool.run(assembly);
  for (patience left; left && (pool.report().total.steals < 5 || pool.report().total.sleeps == 0);) {
    sleep_ms(2);
    pool.run([] { skua::join([] { tree(5), sleep_ms(1); }, [] { tree(5), sleep_ms(1); }); });
  }
}

void simulated(const char* policy) {
  skua::scheduler pool(
      {.workers = 8, .policy = policy, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  pool.run([] {
    tree(6);
    assembly();
  });
}

}  // namespace

int main() {
  on_threads();
  simulated("managers");
  simulated("nearest");
}
