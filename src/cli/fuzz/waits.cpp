// Waits for what is no task: isolation, a lock, calls that block, threads from outside.
#include <mutex>

#include <skua/declare.hpp>
#include <skua/join.hpp>
#include <skua/sync.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {

program::sum program::isolated(tasks all, const surroundings& where, dice& by) {
  surroundings inner = where;
  inner.isolated = true;
  return isolate([&] { return by_join(all, inner, by); });
}

// Held over joins, as a skua::mutex may be.
program::sum program::under_a_lock(tasks all, const surroundings& where, dice& by) {
  surroundings inner = where;
  inner.locked = true;
  // The lock is for a few: the others go on without it.
  const tasks few{all.first, static_cast<std::uint32_t>(by.below(std::min<std::uint32_t>(all.size, 6)) + 1)};
  sum inside = 0;
  {
    const std::lock_guard alone(lock_);
    if (++holders_ != 1) book_.complain("two tasks hold a mutex");
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
  if (answer != 7) book_.complain("a blocking call brought a wrong result");
  return by_join(all, where, by);
}

// A thread that is no worker takes a worker's place, as one of the program's own would.
program::sum program::from_outside(tasks all, const surroundings& where, dice& by) {
  surroundings outside;
  outside.depth = where.depth;
  outside.in_region = where.in_region;
  outside.trail = where.trail;
  return blocking([&] { return pool_.run([&] { return by_join(all, outside, by); }); });
}

}  // namespace skua::cli::fuzz
