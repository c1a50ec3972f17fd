// Regions with a boundary (CAB). Only head workers take tasks above it, one at a time in each domain. Tasks below it stay
// in their domain.
#include <fmt/core.h>

#include <skua/join.hpp>
#include <skua/shaped.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {
namespace {

/// A join runs its first callable, and tasks that were not stolen, on the stack of its caller.
const void* stack_here() { return skua::detail::current; }

}  // namespace

domain_id program::domain_here() const {
  return pool_.seats()[static_cast<worker_id>(worker_index())].domain;
}

void program::check_taker(std::uint32_t task, const void* forker) {
  if (!tiers_ || forker == stack_here()) return;
  const auto taker = static_cast<worker_id>(worker_index());
  if (!pool_.seats()[taker].head)
    book_.complain(
        fmt::format("worker {1} took inter-domain task {0} but is not the head of its domain", task, taker));
}

template <class F>
void program::alone_in_domain(std::uint32_t task, F&& f) {
  if (!tiers_) return f();
  const domain_id here = domain_here();
  if (++inter_tasks_[here] != 1)
    book_.complain(fmt::format("task {} is the second running inter-domain task in domain {}", task, here));
  f();
  --inter_tasks_[here];
}

// Level 1 is the body of the region.
program::sum program::inter_task(tasks all, std::uint32_t level, std::uint32_t boundary, const void* forker,
                                 const surroundings& where) {
  check_taker(all.first, forker);
  sum got = 0;
  if (level == boundary) {
    alone_in_domain(all.first, [&] {
      surroundings inner = where;
      if (tiers_) inner.home = domain_here();
      got = run(all, inner);
    });
    return got;
  }
  alone_in_domain(all.first, [&] { got = run_alone(all.first, where); });
  const tasks rest = all.rest();
  if (rest.size < 2) return rest.size == 0 ? got : got + run_alone(rest.first, where);
  const void* const mine = stack_here();
  const auto part = [&](std::uint64_t i, std::uint64_t of) {
    return [&, i, of] { return inter_task(rest.piece(i, of), level + 1, boundary, mine, where); };
  };
  if (rest.size > 2 && dice_of(all.first).one_in(3)) {
    const auto [a, b, c] = join(part(0, 3), part(1, 3), part(2, 3));
    got += a + b + c;
  } else {
    const auto [a, b] = join(part(0, 2), part(1, 2));
    got += a + b;
  }
  dice by(seed_ + 1, all.first);
  alone_in_domain(all.first, [&] { compute(by); });
  return got;
}

program::sum program::by_region(tasks all, const surroundings& where, dice& by) {
  surroundings inner = where;
  inner.in_region = true;
  const auto boundary = static_cast<std::uint32_t>(by.magnitude(1, 6));
  return shaped({.branching = 2, .boundary_level = boundary},
                [&] { return inter_task(all, 1, boundary, stack_here(), inner); });
}

program::sum program::by_inter_join(tasks all, const surroundings& where, dice& by) {
  surroundings inner = where;
  inner.in_region = true;
  const void* const mine = stack_here();
  const auto part = [&](std::uint64_t i, std::uint64_t of) {
    return [&, i, of] { return inter_task(all.piece(i, of), 1, 1, mine, inner); };
  };
  if (all.size > 2 && by.one_in(2)) {
    const auto [a, b, c] = join(inter(part(0, 3)), part(1, 3), part(2, 3));
    return a + b + c;
  }
  const auto [a, b] = join(inter(part(0, 2)), inter(part(1, 2)));
  return a + b;
}

}  // namespace skua::cli::fuzz
