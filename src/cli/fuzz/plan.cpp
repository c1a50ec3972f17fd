#include "cli/fuzz/plan.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/fuzz/dice.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/adm/substrate.hpp"

namespace skua::cli::fuzz {
namespace {

// Each draws from dice of its own, so that a wish for one changes no other.
enum place : std::uint64_t {
  of_workers,
  of_policy,
  of_machine,
  of_options,
  of_fate,
  of_program,
  of_substrate
};

dice dice_for(const wishes& fixed, std::uint64_t step, place what) {
  return {fixed.seed * 0x9E3779B97F4A7C15ULL + step, what};
}

/// Few mostly, since a step takes as long as it has workers.
std::int64_t drawn_workers(dice by) {
  return static_cast<std::int64_t>(std::min(by.magnitude(1, max_workers), by.magnitude(2, max_workers)));
}

std::string drawn_machine(dice by) {
  if (by.one_in(3)) {
    const auto known = simulator::known_machines();
    return std::string(known[by.below(known.size())]);
  }
  const std::uint64_t packages = by.magnitude(1, 8), caches = by.magnitude(1, 4), cores = by.magnitude(1, 8);
  return fmt::format("package:{} l3:{} core:{} pu:{}", packages, caches, cores, by.below(2) + 1);
}

simulation drawn_simulation(const wishes& fixed, std::uint64_t step) {
  dice by = dice_for(fixed, step, of_machine);
  // With lines a run would depend on where some words lie, and a step be another one elsewhere.
  return {.machine = drawn_machine(by), .level = detail_level::steps};
}

/// Phases on a chip with hardware for tasks, or as its software runtime has them.
void choose_substrate(scheduler_options& all, dice by) {
  if (!by.one_in(6)) return;
  const std::int64_t cores = std::int64_t{32} << by.below(3);
  all.simulate->machine = fmt::format("adm-cmp-{}c", cores);
  all.simulate->substrate = simulator::substrate_names[by.below(simulator::substrate_names.size())];
  all.workers = std::min(*all.workers, 2 * cores);  // one a hardware thread
}

void choose_options(scheduler_options& all, dice by) {
  constexpr std::int64_t park_after[] = {0, 0, 1, 5, 20, 100};
  all.park_after_us = park_after[by.below(std::size(park_after))];
  all.suspended_stacks = by.one_in(2) ? 64 : static_cast<std::int64_t>(by.magnitude(1, 64));
#if defined(__x86_64__)
  if (by.one_in(3)) all.continuation = continuation::free;
#endif
  constexpr order orders[] = {order::lifo, order::lifo, order::fifo, order::priority};
  all.own_order = orders[by.below(std::size(orders))];
  all.pin_order = by.one_in(3) ? pin_order::dealt : pin_order::grouped;
  all.smt = by.one_in(2);
  all.seed = by.seed();
}

}  // namespace

plan plan_of(const wishes& fixed, std::uint64_t step) {
  plan p;
  auto by = [&](place what) { return dice_for(fixed, step, what); };
  const std::int64_t workers = fixed.workers.value_or(drawn_workers(by(of_workers)));
  dice of_its_policy = by(of_policy);
  p.scheduler.policy = fixed.policy.empty() ? random_policy(of_its_policy, workers) : fixed.policy;
  p.scheduler.workers = workers;
  p.scheduler.simulate = drawn_simulation(fixed, step);
  choose_substrate(p.scheduler, by(of_substrate));
  choose_options(p.scheduler, by(of_options));
  p.fate = by(of_fate).seed();
  dice of_its_program = by(of_program);
  p.program = of_its_program.seed();
  p.tasks = static_cast<std::uint32_t>(of_its_program.magnitude(8, 1500));
  return p;
}

std::string in_words(const plan& of) {
  const scheduler_options& all = of.scheduler;
  const std::string& substrate = all.simulate->substrate;
  return fmt::format("{} on {}{}{} with {} worker{}", all.policy, all.simulate->machine,
                     substrate.empty() ? "" : ", ", substrate, *all.workers, *all.workers == 1 ? "" : "s");
}

}  // namespace skua::cli::fuzz
