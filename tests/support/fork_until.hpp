// Forks in a task until another worker has done something.
#pragma once

#include <skua/join.hpp>

#include "tests/support/until.hpp"

/// A worker that forks answers thieves and, under the policy managers, sends its messages. Ends after a minute at the latest.
template <class F>
void fork_until(F condition) {
  within(
      std::chrono::seconds(60),
      [&] {
        skua::join([] {}, [] {});
        return condition();
      },
      no_pause);
}
