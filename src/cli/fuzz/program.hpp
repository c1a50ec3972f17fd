// A random program that uses everything skua offers and checks itself.
//
//   ledger book(tasks);
//   program any(pool, book, tasks, seed);
//   any.run();                         // book.complaint() says what was wrong
//
// It is a tree. Each task computes for a while and distributes its remaining tasks by a join, a loop, a group, a phase, a
// region, with a lock, a blocking call, an exception, ... What a task draws depends only on its number, so the tree is the
// same on all workers. Each way to distribute tasks checks its promises: all tasks have run when it ends, their results
// are right, and they ran where they may.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skua/scheduler.hpp>
#include <skua/sync.hpp>

#include "base/random.hpp"

namespace skua::cli::fuzz {

/// Random numbers from a seed and a purpose: draws for one purpose do not change those for another.
class dice {
 public:
  dice(std::uint64_t seed, std::uint64_t purpose) : state_(base::generator_state(seed, purpose)) {}

  /// 0 to bound-1, for a bound from 1 to 2^32-1.
  std::uint64_t below(std::uint64_t bound) { return base::random_below(bound, state_); }
  /// From min to max; each order of magnitude is equally likely.
  std::uint64_t magnitude(std::uint64_t min, std::uint64_t max) {
    std::uint64_t span = max - min + 1;
    for (std::uint64_t halvings = below(bits_of(span)); halvings != 0; --halvings) span = (span + 1) / 2;
    return min + below(span);
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::uint64_t seed() { return below(std::uint64_t{1} << 31) + 1; }

 private:
  static std::uint64_t bits_of(std::uint64_t n) {
    std::uint64_t bits = 1;
    while (n >>= 1) ++bits;
    return bits;
  }
  std::uint64_t state_;
};

/// The tasks from first to first+size-1. The first one makes the others.
struct tasks {
  std::uint32_t first = 0, size = 0;
  std::uint32_t end() const { return first + size; }
  tasks rest() const { return {first + 1, size - 1}; }
  /// The i-th of `of` pieces. None is empty if there are at least `of` tasks.
  tasks piece(std::uint64_t i, std::uint64_t of) const {
    const auto at = [&](std::uint64_t k) { return first + static_cast<std::uint32_t>(size * k / of); };
    return {at(i), at(i + 1) - at(i)};
  }
};

/// Which tasks have run: at the end, each exactly once. Simulated workers share one thread, so it needs no locks.
class ledger {
 public:
  explicit ledger(std::uint32_t all);

  void began(std::uint32_t task);
  std::uint32_t ran(tasks which) const;
  bool none_ran(tasks which) const { return ran(which) == 0; }
  bool all_ran(tasks which) const { return ran(which) == which.size; }
  /// How many tasks have begun.
  std::uint64_t begun() const { return begun_; }

  /// The sum of what these tasks compute.
  std::uint64_t sum(tasks which) const { return sums_[which.end()] - sums_[which.first]; }

  /// One sentence. Only the first one is kept.
  void complain(const std::string& what);
  const std::string& complaint() const { return complaint_; }

 private:
  std::vector<std::uint8_t> times_;  // how often each has begun
  std::vector<std::uint64_t> sums_;  // prefix sums of what the tasks compute
  std::uint64_t begun_ = 0;
  std::string complaint_;
};

/// The context of a task: what it may do.
struct surroundings {
  int depth = 0;
  std::optional<domain_id> home = {};  // below a boundary: the domain that the task must not leave
  bool in_region = false, isolated = false, locked = false, cancellable = false;
  std::string trail = {};  // how the task was made, as text
  surroundings below(std::string_view way) const {
    surroundings inner = *this;
    ++inner.depth;
    inner.trail = inner.trail.empty() ? std::string(way) : inner.trail + " / " + std::string(way);
    return inner;
  }
};

/// The exception of a task.
struct failure {
  std::uint32_t task;
};

class program {
 public:
  using sum = std::uint64_t;
  program(scheduler& pool, ledger& book, std::uint32_t all, std::uint64_t seed);
  /// Called by an external thread. It enters the pool several times.
  void run();

 private:
  friend struct way;
  sum run(tasks all, const surroundings& where);
  /// A task that makes no other tasks.
  sum run_alone(std::uint32_t task, const surroundings& where);
  sum share_out(tasks all, const surroundings& where, dice& by);
  void compute(dice& by);
  void check_home(std::uint32_t task, const surroundings& where);
  dice dice_of(std::uint32_t task) const { return {seed_, task}; }
  std::size_t pieces_for(tasks all, dice& by, std::uint64_t max) const;

  // Ways to distribute tasks, by file.
  // joins.cpp
  sum by_join(tasks, const surroundings&, dice&);
  sum by_join_of_three(tasks, const surroundings&, dice&);
  sum by_hinted_join(tasks, const surroundings&, dice&);
  sum by_join_that_throws(tasks, const surroundings&, dice&);
  sum by_loop(tasks, const surroundings&, dice&);
  sum by_reduction(tasks, const surroundings&, dice&);
  /// For tasks that have either all run or not run at all: runs them if none has.
  sum made_up_for(tasks, const surroundings&);
  // groups.cpp
  sum by_group(tasks, const surroundings&, dice&);
  sum by_growing_group(tasks, const surroundings&, dice&);
  sum by_cancelled_group(tasks, const surroundings&, dice&);
  // waits.cpp
  sum isolated(tasks, const surroundings&, dice&);
  sum under_a_lock(tasks, const surroundings&, dice&);
  sum after_a_blocking_call(tasks, const surroundings&, dice&);
  sum from_outside(tasks, const surroundings&, dice&);
  // phases.cpp
  sum by_phase(tasks, const surroundings&, dice&);
  sum by_phase_of_a_range(tasks, const surroundings&, dice&);
  sum by_phase_that_stops(tasks, const surroundings&, dice&);
  // tiers.cpp
  sum by_region(tasks, const surroundings&, dice&);
  sum by_inter_join(tasks, const surroundings&, dice&);
  sum inter_task(tasks, std::uint32_t level, std::uint32_t boundary, const void* forker, const surroundings&);
  void check_taker(std::uint32_t task, const void* forker);
  template <class F>
  void alone_in_domain(std::uint32_t task, F&& f);
  domain_id domain_here() const;
  // waits.cpp
  void check_idle_workers_help(dice& by);

  scheduler& pool_;
  ledger& book_;
  const tasks all_;
  const std::uint64_t seed_;
  const bool tiers_;              // the policy has tiers, and the machine has several domains
  const bool all_workers_help_;   // any idle worker eventually takes any task
  std::vector<int> inter_tasks_;  // running, by domain
  mutex lock_;
  int holders_ = 0;  // tasks that hold the lock
};

}  // namespace skua::cli::fuzz
