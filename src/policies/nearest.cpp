// nearest: try everybody once, by distance.
//
// What: one round over all victims, nearest level first; inside a level from a random start, so that
//   several thieves do not queue at the same victim.
// Helps: memory-bound programs on machines with several caches: what is stolen was probably written near.
// Hurts: hardly; a far victim with much work is found only after the near ones have been asked.
// Paper: the nearest-neighbour stealing of the TBB thesis (section 4), without its persistence.
#include "policies/registry.hpp"

namespace skua::policy {

namespace {

class nearest final : public steal_policy {
 public:
  stolen acquire(thief& self) override {
    for (std::size_t level = 0; level < self.levels(); ++level) {
      const auto victims = self.at_distance(level);
      if (victims.empty()) continue;
      const std::size_t start = self.random(victims.size());
      for (std::size_t i = 0; i < victims.size(); ++i)
        if (stolen task = self.try_steal(victims[(start + i) % victims.size()])) return task;
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<steal_policy> make_nearest() { return std::make_unique<nearest>(); }

}  // namespace skua::policy
