// A program of everything that skua offers, drawn from a seed, which checks itself.
//
//   ledger book(tasks);
//   program any(pool, book, seed);
//   any.run();                         // book.complaint() says what was wrong
//
// It is a tree: each task computes for a while and shares its rest out to others, by a join, a loop, a group, a phase, a
// region, across a lock, a blocking call, an exception, ... What a task draws depends on its number alone, so the tree is
// the same whoever runs which part of it. Each way to share out checks what it promises: that all tasks have run when
// it ends, that their results are right, and where they ran.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skua/scheduler.hpp>
#include <skua/sync.hpp>

#include "cli/fuzz/dice.hpp"
#include "cli/fuzz/ledger.hpp"

namespace skua::cli::fuzz {

/// Around a task: what it may do, and what holds for it.
struct surroundings {
  int depth = 0;
  std::optional<domain_id> home = {};  // below a boundary: the domain that it never leaves
  bool in_region = false, isolated = false, locked = false, cancellable = false;
  std::string trail = {};  // the ways in which it came about, in words
  surroundings below(std::string_view way) const {
    surroundings inner = *this;
    ++inner.depth;
    inner.trail = inner.trail.empty() ? std::string(way) : inner.trail + " / " + std::string(way);
    return inner;
  }
};

/// What a task throws.
struct failure {
  std::uint32_t task;
};

class program {
 public:
  using sum = std::uint64_t;
  program(scheduler& pool, ledger& book, std::uint32_t all, std::uint64_t seed);
  /// By a thread from outside, which comes some times.
  void run();

 private:
  friend struct way;
  sum run(tasks all, const surroundings& where);
  /// A task that makes no others.
  sum run_alone(std::uint32_t task, const surroundings& where);
  sum share_out(tasks all, const surroundings& where, dice& by);
  void compute(dice& by);
  void check_home(std::uint32_t task, const surroundings& where);
  dice dice_of(std::uint32_t task) const { return {seed_, task}; }
  std::size_t pieces_for(tasks all, dice& by, std::uint64_t max) const;

  // Ways to share out, by the file in which they are.
  // fuzz_joins.cpp
  sum by_join(tasks, const surroundings&, dice&);
  sum by_join_of_three(tasks, const surroundings&, dice&);
  sum by_hinted_join(tasks, const surroundings&, dice&);
  sum by_join_that_throws(tasks, const surroundings&, dice&);
  sum by_loop(tasks, const surroundings&, dice&);
  sum by_reduction(tasks, const surroundings&, dice&);
  /// All or nothing of it has run; what has not runs now.
  sum made_up_for(tasks, const surroundings&);
  // fuzz_groups.cpp
  sum by_group(tasks, const surroundings&, dice&);
  sum by_growing_group(tasks, const surroundings&, dice&);
  sum by_cancelled_group(tasks, const surroundings&, dice&);
  // fuzz_waits.cpp
  sum isolated(tasks, const surroundings&, dice&);
  sum under_a_lock(tasks, const surroundings&, dice&);
  sum after_a_blocking_call(tasks, const surroundings&, dice&);
  sum from_outside(tasks, const surroundings&, dice&);
  // fuzz_phases.cpp
  sum by_phase(tasks, const surroundings&, dice&);
  sum by_phase_of_a_range(tasks, const surroundings&, dice&);
  sum by_phase_that_stops(tasks, const surroundings&, dice&);
  // fuzz_tiers.cpp
  sum by_region(tasks, const surroundings&, dice&);
  sum by_inter_join(tasks, const surroundings&, dice&);
  sum inter_task(tasks, std::uint32_t level, std::uint32_t boundary, const void* forker, const surroundings&);
  void check_taker(std::uint32_t task, const void* forker);
  template <class F>
  void alone_in_domain(std::uint32_t task, F&& f);
  domain_id domain_here() const;
  // fuzz_help.cpp
  void look_for_help(dice& by);

  scheduler& pool_;
  ledger& book_;
  const tasks all_;
  const std::uint64_t seed_;
  const bool tiers_;              // the policy has them, and the machine domains for them
  const bool everybody_helps_;    // sooner or later any idle worker takes any task
  std::vector<int> inter_tasks_;  // at work, by domain
  mutex lock_;
  int holders_ = 0;  // of the lock
};

}  // namespace skua::cli::fuzz
