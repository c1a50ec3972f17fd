// Isolation, a lock, blocking calls and external threads. And idle workers: while one worker computes, another one must
// begin the task that it has forked.
#include <fmt/core.h>

#include <mutex>
#include <string_view>

#include <skua/declare.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {
namespace {

constexpr double long_computation =
    2e9;  // far longer than a timed sleep, or than a hostile schedule delays a thread

}  // namespace

program::sum program::isolated(tasks all, const surroundings& where, dice& by) {
  surroundings inner = where;
  inner.isolated = true;
  return isolate([&] { return by_join(all, inner, by); });
}

// The lock is held across joins, which skua::mutex allows.
program::sum program::under_a_lock(tasks all, const surroundings& where, dice& by) {
  surroundings inner = where;
  inner.locked = true;
  // Only a few tasks hold the lock. The others run without it.
  const tasks few{all.first, static_cast<std::uint32_t>(by.below(std::min<std::uint32_t>(all.size, 6)) + 1)};
  sum inside = 0;
  {
    const std::lock_guard alone(lock_);
    if (++holders_ != 1) book_.complain("two tasks hold the mutex");
    inside = run(few, inner);
    --holders_;
  }
  return inside + run({few.end(), all.size - few.size}, where);
}

program::sum program::after_a_blocking_call(tasks all, const surroundings& where, dice& by) {
  const auto cycles = static_cast<double>(by.magnitude(1, 1'000'000));
  const int answer = blocking([cycles] {
    costs(cycles);
    return 7;
  });
  if (answer != 7) book_.complain("a blocking call returned a wrong result");
  return by_join(all, where, by);
}

// In a blocking call the thread is not a worker: it enters the pool as an external thread.
program::sum program::from_outside(tasks all, const surroundings& where, dice& by) {
  surroundings outside;
  outside.depth = where.depth;
  outside.in_region = where.in_region;
  outside.trail = where.trail;
  return blocking([&] { return pool_.run([&] { return by_join(all, outside, by); }); });
}

void program::check_idle_workers_help(dice& by) {
  if (!all_workers_help_ || pool_.workers() < 2) return;
  for (std::uint64_t rounds = by.below(4); rounds != 0; --rounds) {
    costs(static_cast<double>(by.magnitude(1, 4'000'000)));  // meanwhile the others have time to park
    bool begun = false;
    std::string_view what;
    const auto compute_long = [&] {
      costs(long_computation);
      if (!begun)
        book_.complain(
            fmt::format("no worker began {} while its creator computed {:g} cycles and all others were idle",
                        what, long_computation));
    };
    const auto begin = [&] { begun = true; };
    switch (by.below(3)) {
      case 0:
        what = "the second task of a join";
        join(compute_long, begin);
        break;
      case 1: {
        what = "a task of a group";
        task_group group;
        group.run(begin);
        compute_long();
        group.wait();
        break;
      }
      default:
        what = "the second half of a loop";
        parallel_for(0, 2, [&](int i) { i == 0 ? compute_long() : begin(); }, {.grain = 1});
    }
  }
}

}  // namespace skua::cli::fuzz
