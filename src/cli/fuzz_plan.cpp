#include "cli/fuzz_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/fuzz_dice.hpp"
#include "simulator/machine_model.hpp"

namespace skua::cli::fuzz {
namespace {

// Each draws from dice of its own, so that a wish for one changes no other.
enum place : std::uint64_t { of_workers, of_policy, of_machine, of_options, of_fate, of_program };

dice dice_for(const wishes& fixed, std::uint64_t step, place what) {
  return {fixed.seed * 0x9E3779B97F4A7C15ULL + step, what};
}

/// Few mostly, since a step takes as long as it has workers.
std::int64_t drawn_workers(dice by) {
  return static_cast<std::int64_t>(std::min(by.magnitude(1, most_workers), by.magnitude(2, most_workers)));
}

std::string drawn_machine(dice by) {
  if (by.one_in(3)) {
    const auto known = simulator::known_machines();
    return std::string(known[by.below(known.size())]);
  }
  const std::uint64_t packages = by.magnitude(1, 8), caches = by.magnitude(1, 4), cores = by.magnitude(1, 8);
  return fmt::format("package:{} l3:{} core:{} pu:{}", packages, caches, cores, by.below(2) + 1);
}

bool has_substrates(std::string_view machine) { return machine.starts_with("adm-"); }

/// Phases on hardware have a thread of the machine for each worker.
void choose_substrate(simulation& on, std::int64_t& workers, dice by) {
  constexpr std::array<std::string_view, 5> all{"", "software", "carbon", "uli", "adm"};
  if (!has_substrates(on.machine)) return;
  on.substrate = all[by.below(all.size())];
  const auto threads = static_cast<std::int64_t>(simulator::find_machine(on.machine).threads());
  if (!on.substrate.empty()) workers = std::min(workers, threads);
}

simulation drawn_simulation(const wishes& fixed, std::uint64_t step) {
  dice by = dice_for(fixed, step, of_machine);
  // What programs declare to read and write is of no account here.
  return {.machine = drawn_machine(by), .level = by.one_in(2) ? detail_level::steps : detail_level::lines};
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
  std::int64_t workers = fixed.workers.value_or(drawn_workers(by(of_workers)));
  simulation on = drawn_simulation(fixed, step);
  choose_substrate(on, workers, by(of_machine));
  dice of_its_policy = by(of_policy);
  p.scheduler.policy = fixed.policy.empty() ? random_policy(of_its_policy, workers) : fixed.policy;
  p.scheduler.workers = workers;
  p.scheduler.simulate = on;
  choose_options(p.scheduler, by(of_options));
  p.fate = by(of_fate).seed();
  dice of_its_program = by(of_program);
  p.program = of_its_program.seed();
  p.tasks = static_cast<std::uint32_t>(of_its_program.magnitude(8, 1500));
  return p;
}

std::string in_words(const plan& of) {
  const scheduler_options& all = of.scheduler;
  return fmt::format("{} on {}{}{} with {} worker{}", all.policy, all.simulate->machine,
                     all.simulate->substrate.empty() ? "" : ", phases by ", all.simulate->substrate,
                     *all.workers, *all.workers == 1 ? "" : "s");
}

}  // namespace skua::cli::fuzz
