// A worker lets its victims run alone for a while before it searches again, if its last steals took more of their time than
// they were worth. Owners push privately during this pause, because the worker does not count as searching yet.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/scheduler_core.hpp"

namespace skua::core {

/// is_wanted(): the worker has something else to do. Then the pause ends.
template <class IsWanted>
class pause_before_search {
 public:
  pause_before_search(worker& here, IsWanted is_wanted) : here_(here), is_wanted_(is_wanted) {}

  /// Passes the time, which may be none.
  void pass() {
    const std::int64_t now = host_platform::now_ns();
    const small_loops::advice advice = after_small_part(now);
    const std::int64_t tiny =
        here_.last_steals.pause_before_search(now, tasks_begun(here_), here_.observer.records());
    if (advice == small_loops::advice::stay_away) return stay_away(now);
    if (advice == small_loops::advice::unknown && tiny != 0) pause_until(now + tiny);
  }

 private:
  small_loops::advice after_small_part(std::int64_t now) {
    const tiny_steals& last = here_.last_steals;
    const bool small = last.was_small_part(now, tasks_begun(here_)) && here_.view->robbed;
    if (small)
      return here_.victims_loops.stole_part(*here_.view->robbed, [this] { return begun_at_victim(); }, now);
    if (last.found_something()) here_.victims_loops.stole_other();
    return small_loops::advice::unknown;
  }
  // Simulated thieves do not know the victim's loops yet: that would change all simulated runs with small loops in tasks.
  std::uint32_t begun_at_victim() {
    const worker& victim = here_.pool->at(*here_.view->robbed);
    const std::uint32_t loops =
        here_.pool->simulated
            ? 0
            : detail::host_atomics::quietly(victim.loops_begun).load(std::memory_order_relaxed);
    return tasks_begun(victim) + loops;
  }

  void stay_away(std::int64_t now) {
    do now = pause_until(now + here_.victims_loops.look_ns());
    while (may_pause() && here_.victims_loops.goes_on(begun_at_victim(), now) && !other_work_waits());
  }
  /// Tasks that the victim alone will not run soon, or records of another worker.
  bool other_work_waits() {
    const worker_id victim = *here_.view->robbed;
    return std::ranges::any_of(here_.pool->all_workers, [&](const auto& one) {
      return one->id == victim ? load_of_tasks(*one) != 0 : one->id != here_.id && load_of_queues(*one) != 0;
    });
  }
  /// Returns the time.
  std::int64_t pause_until(std::int64_t end) {
    here_.observer.enters(activity::waiting);
    for (;;) {
      const std::int64_t now = host_platform::now_ns();
      if (now >= end || !may_pause()) return now;
      host_platform::relax();
    }
  }
  // If another worker sleeps, an owner that finds no searcher would wake it. So this worker then searches at once.
  bool may_pause() { return here_.pool->idle.count().sleeping == 0 && !is_wanted_(); }

  worker& here_;
  IsWanted is_wanted_;
};

}  // namespace skua::core
