// There is enough work for all workers. In the first programs, nothing limits them: many tasks of a suitable size that need no
// memory. In the others, one part takes long.
#include "program.hpp"

namespace limited {

namespace {

void tree(std::size_t leaves, double us) {
  if (leaves <= 1) return compute(us);
  skua::join([=] { tree(leaves / 2, us); }, [=] { tree(leaves - leaves / 2, us); });
}

}  // namespace

void balanced_joins(std::size_t size) {
  skua::default_scheduler().run([=] { tree(100 * size * workers(), 50); });
}

void balanced_loop(std::size_t size) {
  skua::parallel_for(std::size_t{0}, 1000 * size * workers(), [](std::size_t) { compute(5); });
}

void one_long_task(std::size_t size) {
  skua::default_scheduler().run([=] {
    skua::task_group tasks;
    const std::size_t others = 10 * workers();
    for (std::size_t i = 0; i < others; ++i) tasks.run([=] { compute(100.0 * static_cast<double>(size)); });
    tasks.run([=] { compute(3000.0 * static_cast<double>(size)); });
    tasks.wait();
  });
}

/// The other workers have enough work before the long iteration begins, but none while it runs.
void long_task_begun_last(std::size_t size) {
  const double us = 100.0 * static_cast<double>(size);
  const std::size_t others = 20 * workers();
  skua::parallel_for(
      std::size_t{0}, others + 1, [=](std::size_t i) { compute(i == others ? 20 * us : us); },
      skua::loop{.grain = 1});
}

void one_long_iteration(std::size_t size) {
  const std::size_t others = 20 * workers();
  skua::parallel_for(std::size_t{0}, others, [=](std::size_t i) {
    compute((i == others / 3 ? 3000.0 : 50.0) * static_cast<double>(size));
  });
}

}  // namespace limited
