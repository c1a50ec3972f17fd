// Programs with too little parallelism: serial parts between loops, tasks that depend on each other, and a program that
// hardly calls skua.
#include "program.hpp"

namespace limited {

void serial_between_loops(std::size_t size) {
  skua::default_scheduler().run([=] {
    for (std::size_t step = 0; step < 5 * size; ++step) {
      compute(300);
      skua::parallel_for(std::size_t{0}, 10 * workers(), [](std::size_t) { compute(10); });
    }
  });
}

namespace {

/// Each link needs the result of the previous link. A little other work runs in parallel with the chain.
void chain(std::size_t links) {
  if (links == 0) return;
  compute(100);
  skua::join([=] { chain(links - 1); }, [] { compute(10); });
}

}  // namespace

void chain_of_joins(std::size_t size) {
  skua::default_scheduler().run([=] { chain(30 * size); });
}

void outside_of_skua(std::size_t size) {
  for (std::size_t step = 0; step < 5 * size; ++step) {
    compute(2000);
    skua::parallel_for(std::size_t{0}, 50 * workers(), [](std::size_t) { compute(10); });
  }
}

}  // namespace limited
