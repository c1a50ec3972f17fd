#include "core/choosing/one_explorer.hpp"

#include <algorithm>
#include <utility>

namespace skua::core {

void one_explorer::ended(policy_trials& at, bool reached_limit, double ns, double iterations) noexcept {
  if (explorer_ && explorer_ != &at) {
    explorer_->others_took(at.ended_beside(ns, iterations));
    others_may_take_ns_ -= ns;
    if (others_may_take_ns_ < 0) std::exchange(explorer_, nullptr)->interrupt();
    return;
  }
  if (reached_limit)
    at.ended_after_limit(ns, iterations);
  else
    at.ended(ns, iterations);
  explorer_ = at.explores() ? &at : nullptr;
  others_may_take_ns_ = patience * std::max(ns, shortest_ns);
}

}  // namespace skua::core
