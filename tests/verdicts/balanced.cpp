// Programs without a limit: many tasks of a suitable size that need no memory.
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

}  // namespace limited
