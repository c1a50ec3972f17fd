// random: any other worker, with equal chances.
//
// What: as many tries as there are other workers, each at a victim drawn anew.
// Helps: nothing special; it is the field's baseline, and spreads load evenly.
// Hurts: memory-bound programs on machines with several caches, since most victims are far.
// Paper: Blumofe and Leiserson (1999); the baseline of all five papers.
#include "policies/registry.hpp"

namespace skua::policy {

namespace {

class random_victim final : public steal_policy {
 public:
  stolen acquire(thief& self) override {
    const std::size_t others = self.workers() - 1;
    for (std::size_t i = 0; i < others; ++i) {
      // Drawn among the others: numbers from this worker's own on stand for the next worker.
      const std::size_t drawn = self.random(others);
      const worker_id victim = static_cast<worker_id>(drawn < self.id() ? drawn : drawn + 1);
      if (stolen task = self.try_steal(victim)) return task;
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<steal_policy> make_random() { return std::make_unique<random_victim>(); }

}  // namespace skua::policy
