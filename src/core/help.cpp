#include "core/help.hpp"

#include "core/scheduler_core.hpp"

namespace skua::core {

stolen take_own_help(worker& here, const restriction& only) {
  detail::task* const t = take_own_task(here, only);
  return t ? stolen(reinterpret_cast<void*>(&execute_task), t, nullptr) : stolen();
}

bool may_help_elsewhere(const worker& here) noexcept {
  return !here.pool->managed || here.pool->managed->rescue;
}

namespace {

// Messages first. A thread that may leave this place need not read those of others: who comes instead does.
bool turn_to_others(const stack& self, std::int64_t waited_ns) {
  management* const managed = self.seat->pool->managed.get();
  if (!managed) return true;
  if (!managed->rescue || waited_ns < help_for_ns) return false;
  if (isolated(self)) managed->rescue_letters(*self.seat);
  return true;
}

}  // namespace

stolen take_help(stack& self, const restriction& only, std::int64_t waited_ns, help_from where) {
  worker& here = *self.seat;
  const bool others = turn_to_others(self, waited_ns);
  // What thieves put aside comes back by messages only.
  if (where == help_from::all_queues || here.pool->managed)
    if (stolen t = take_own_help(here, only)) return t;
  if (!others) return {};
  const bool force = waited_ns > force_after_ns;
  for (std::size_t k = 1; k < here.pool->workers(); ++k) {
    worker& victim = here.pool->at((here.id + k) % here.pool->workers());
    if (stolen t =
            where == help_from::tasks ? take_task(victim, force, only) : take_from(victim, force, only))
      return t;
  }
  return {};
}

}  // namespace skua::core
