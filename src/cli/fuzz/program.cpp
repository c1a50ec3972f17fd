#include "cli/fuzz/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include <skua/declare.hpp>
#include <skua/steal_policy.hpp>
#include <skua/task_group.hpp>

#include "base/list_text.hpp"
#include "base/random.hpp"

namespace skua::cli::fuzz {

/// One way to distribute tasks.
struct way {
  std::string_view name;
  program::sum (program::*run)(tasks, const surroundings&, dice&);
  unsigned weight;
  bool (*fits)(const surroundings&);
  static const way all[];
  static const way& drawn(const surroundings& where, dice& by);
};

namespace {

constexpr int deepest = 24;  // a stack has room for it

bool anywhere(const surroundings&) { return true; }
bool unlocked(const surroundings& s) { return !s.locked; }
/// A group inside a cancelled one is cancelled with it.
bool uncancelled(const surroundings& s) { return !s.cancellable; }
/// An isolated region must not wait for a lock whose holder waits, and the holder of a lock must not wait for another one.
bool may_lock(const surroundings& s) { return !s.locked && !s.isolated; }
bool may_enter_region(const surroundings& s) { return !s.in_region && !s.isolated && !s.locked; }

bool has_tiers(const scheduler& pool) {
  std::size_t occupied = 0;
  for (domain_id d = 0; d < pool.seats().domains(); ++d) occupied += !pool.seats().domain_workers(d).empty();
  return occupied > 1 && make_policy(pool.policy())->has_tiers();
}

/// With some options a worker may starve. And managers that alternate with another policy may learn too late what that
/// policy has taken.
bool all_workers_help(const std::string& policy) {
  if (base::name_before_parenthesis(policy) == "mix" && policy.find("managers") != std::string::npos)
    return false;
  return std::ranges::none_of(
      std::initializer_list<std::string_view>{"rescue=no", "strict=yes", "scope=domain"},
      [&](std::string_view option) { return policy.find(option) != std::string::npos; });
}

}  // namespace

const way way::all[] = {
    {"a join", &program::by_join, 8, anywhere},
    {"a join of three", &program::by_join_of_three, 4, anywhere},
    {"a join with hints", &program::by_hinted_join, 4, anywhere},
    {"a join that throws", &program::by_join_that_throws, 2, anywhere},
    {"a loop", &program::by_loop, 4, anywhere},
    {"a reduction", &program::by_reduction, 2, anywhere},
    {"a group", &program::by_group, 6, uncancelled},
    {"a growing group", &program::by_growing_group, 3, uncancelled},
    {"a cancelled group", &program::by_cancelled_group, 2, uncancelled},
    {"an isolated region", &program::isolated, 2, unlocked},
    {"a locked region", &program::under_a_lock, 2, may_lock},
    {"a blocking call", &program::after_a_blocking_call, 1, may_lock},
    {"an external thread", &program::from_outside, 1, may_lock},
    {"a phase", &program::by_phase, 4, may_lock},
    {"a phase of a range", &program::by_phase_of_a_range, 2, may_lock},
    {"a phase that stops", &program::by_phase_that_stops, 1, may_lock},
    {"a region", &program::by_region, 5, may_enter_region},
    {"a join of inter-domain tasks", &program::by_inter_join, 2, may_enter_region},
};

const way& way::drawn(const surroundings& where, dice& by) {
  unsigned weights = 0;
  for (const way& one : all) weights += one.fits(where) ? one.weight : 0;
  std::uint64_t lot = by.below(weights);
  for (const way& one : all) {
    if (!one.fits(where)) continue;
    if (lot < one.weight) return one;
    lot -= one.weight;
  }
  return all[0];
}

ledger::ledger(std::uint32_t all) : times_(all), sums_(all + 1) {
  for (std::uint32_t i = 0; i < all; ++i) sums_[i + 1] = sums_[i] + base::generator_state(all, i);
}

void ledger::began(std::uint32_t task) {
  ++begun_;
  if (++times_[task] > 1) complain(fmt::format("task {} ran twice", task));
}

std::uint32_t ledger::ran(tasks which) const {
  return static_cast<std::uint32_t>(std::count_if(times_.begin() + which.first, times_.begin() + which.end(),
                                                  [](auto n) { return n != 0; }));
}

void ledger::complain(const std::string& what) {
  if (complaint_.empty()) complaint_ = what;
}

program::program(scheduler& pool, ledger& book, std::uint32_t count, std::uint64_t seed)
    : pool_(pool),
      book_(book),
      all_{0, count},
      seed_(seed),
      tiers_(has_tiers(pool)),
      all_workers_help_(all_workers_help(pool.policy())),
      inter_tasks_(pool.seats().domains()) {}

void program::run() {
  dice by = dice_of(all_.end());
  const std::size_t calls = pieces_for(all_, by, 3);
  for (std::size_t i = 0; i < calls; ++i)
    pool_.run([&] {
      check_idle_workers_help(by);
      const tasks mine = all_.piece(i, calls);
      task_group by_workers;
      if (by.one_in(2))
        by_workers.run([&] { run(mine, {}); });
      else
        run(mine, {});
      by_workers.wait();
    });
  if (!book_.all_ran(all_))
    book_.complain(fmt::format("{} of {} tasks did not run", all_.size - book_.ran(all_), all_.size));
}

program::sum program::run_alone(std::uint32_t task, const surroundings& where) {
  dice by = dice_of(task);
  check_home(task, where);
  book_.began(task);
  compute(by);
  check_home(task, where);
  return book_.sum({task, 1});
}

program::sum program::run(tasks all, const surroundings& where) {
  if (all.size == 0) return 0;
  const sum mine = run_alone(all.first, where);
  if (all.size == 1) return mine;
  dice by = dice_of(all.first);
  const sum others = share_out(all.rest(), where, by);
  check_home(all.first, where);
  return mine + others;
}

program::sum program::share_out(tasks all, const surroundings& where, dice& by) {
  if (all.size == 1) return run(all, where);
  const way& how = where.depth < deepest ? way::drawn(where, by) : way::all[4];
  const sum got = (this->*how.run)(all, where.below(how.name), by);
  if (!book_.all_ran(all))
    book_.complain(fmt::format("{} ended although {} of its {} tasks had not run ({})", how.name,
                               all.size - book_.ran(all), all.size, where.trail));
  else if (got != book_.sum(all))
    book_.complain(fmt::format("{} returned a wrong result ({})", how.name, where.trail));
  return got;
}

/// Mostly a few cycles, sometimes a millisecond.
void program::compute(dice& by) {
  for (std::uint64_t i = by.below(3); i != 0; --i) costs(static_cast<double>(by.magnitude(1, 4'000'000)));
}

void program::check_home(std::uint32_t task, const surroundings& where) {
  if (where.home && domain_here() != *where.home)
    book_.complain(fmt::format("task {} is below a boundary in domain {} but runs in domain {} ({})", task,
                               *where.home, domain_here(), where.trail));
}

std::size_t program::pieces_for(tasks all, dice& by, std::uint64_t max) const {
  return static_cast<std::size_t>(by.below(std::min<std::uint64_t>(max, all.size)) + 1);
}

}  // namespace skua::cli::fuzz
