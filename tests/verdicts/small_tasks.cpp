// Tasks whose work is smaller than the cost of creating and taking them.
#include <functional>

#include "program.hpp"

namespace limited {

namespace {

long count_leaves(std::size_t depth) {
  if (depth == 0) {
    skua::costs(5);
    return 1;
  }
  const auto [left, right] =
      skua::join([=] { return count_leaves(depth - 1); }, [=] { return count_leaves(depth - 1); });
  return left + right;
}

}  // namespace

void tiny_joins(std::size_t size) {
  const bool simulated = skua::default_scheduler().is_simulated();
  for (std::size_t i = 0; i < (simulated ? size : 5 * size); ++i)
    skua::default_scheduler().run([=] { return count_leaves(simulated ? 15 : 17); });
}

/// Each loop ends before other workers have taken much of it.
void small_loops(std::size_t size) {
  for (std::size_t i = 0; i < 1000 * size; ++i)
    skua::parallel_for(std::size_t{0}, std::size_t{16}, [](std::size_t) { compute(0.5); });
}

void tiny_group_tasks(std::size_t size) {
  const bool simulated = skua::default_scheduler().is_simulated();
  // Tasks on all workers create tasks, so no worker waits for a single creator.
  skua::parallel_for(std::size_t{0}, 16 * size * workers(), [=](std::size_t) {
    skua::task_group tasks;
    for (int i = 0; i < (simulated ? 1000 : 5'000); ++i) tasks.run([] { skua::costs(10); });
    tasks.wait();
  });
}

namespace {

void fill_groups(std::size_t size) {
  for (std::size_t step = 0; step < 3 * size; ++step) {
    skua::task_group tasks;
    for (int i = 0; i < 20'000; ++i) tasks.run([] {});
    tasks.wait();
  }
}

}  // namespace

/// One task makes all others. They are so small that two workers run them as fast as it makes them.
void tiny_tasks_of_one_maker(std::size_t size) {
  skua::default_scheduler().run([=] { fill_groups(size); });
}

/// The same, but the thread that makes them is not a worker.
void tiny_tasks_from_outside(std::size_t size) { fill_groups(size); }

void tiny_joins_from_outside(std::size_t size) {
  for (std::size_t i = 0; i < 100'000 * size; ++i) skua::join([] {}, [] {});
}

void tiny_reductions_from_outside(std::size_t size) {
  for (std::size_t i = 0; i < 10'000 * size; ++i)
    skua::parallel_reduce(
        0, 100, std::size_t{0}, [](int k) { return static_cast<std::size_t>(k); }, std::plus<>());
}

}  // namespace limited
