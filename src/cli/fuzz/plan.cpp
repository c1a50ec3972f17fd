#include "cli/fuzz/runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <skua/steal_policy.hpp>

#include "cli/fuzz/program.hpp"
#include "simulator/adm/substrate.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli::fuzz {
namespace {

// Each has its own dice, so that fixing one value does not change the others.
enum purpose : std::uint64_t {
  of_workers,
  of_policy,
  of_machine,
  of_options,
  of_schedule,
  of_program,
  of_substrate
};

dice dice_for(const wishes& fixed, std::uint64_t step, purpose what) {
  return {fixed.seed * 0x9E3779B97F4A7C15ULL + step, what};
}

std::string drawn_policy(dice& by, std::int64_t workers, int depth);

/// Mostly small numbers: a patience of a million rounds only makes a step long.
std::string drawn_whole(const policy_option& option, dice& by, std::int64_t workers) {
  const auto min = static_cast<std::int64_t>(option.min), max = static_cast<std::int64_t>(option.max);
  constexpr std::int64_t enough = 64;
  std::int64_t highest = std::min(max, std::max(min, std::int64_t{0}) + enough);
  // Some workers must run tasks.
  if (option.name == "dedicated") highest = std::max<std::int64_t>(0, std::min(highest, workers - 3));
  return std::to_string(
      min + static_cast<std::int64_t>(by.magnitude(0, static_cast<std::uint64_t>(highest - min))));
}

std::string drawn_value(const policy_option& option, dice& by, std::int64_t workers, int depth) {
  switch (option.kind) {
    case policy_option::flag:
      return by.one_in(2) ? "yes" : "no";
    case policy_option::choice:
      return std::string(option.allowed[by.below(option.allowed.size())]);
    case policy_option::whole:
    case policy_option::bytes:
      return drawn_whole(option, by, workers);
    case policy_option::fraction:
      return fmt::format("{:.2f}", option.min + (std::min(option.max, 0.9) - option.min) *
                                                    static_cast<double>(by.below(101)) / 100);
    case policy_option::policy:
      return drawn_policy(by, workers, depth + 1);
  }
  return {};
}

std::string with_options(const policy_info& info, dice& by, std::int64_t workers, int depth) {
  std::string inside;
  for (const policy_option& option : info.options)
    if (by.one_in(2))
      inside += fmt::format("{}{}={}", inside.empty() ? "" : ", ", option.name,
                            drawn_value(option, by, workers, depth));
  return inside.empty() ? std::string(info.name) : fmt::format("{}({})", info.name, inside);
}

/// The policies that use most parts of the core are drawn more often.
std::string drawn_policy(dice& by, std::int64_t workers, int depth) {
  std::vector<const policy_info*> all = policies();
  if (depth != 0) std::erase_if(all, [](const policy_info* p) { return p->name == "mix"; });
  if (by.one_in(3))
    std::erase_if(all, [](const policy_info* p) { return p->name != "bitier" && p->name != "managers"; });
  return with_options(*all[by.below(all.size())], by, workers, depth);
}

/// Mostly few, since the time of a step grows with its workers.
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
  // At the level `lines` a run depends on addresses, so a step would differ from one machine to another.
  return {.machine = drawn_machine(by), .level = detail_level::steps};
}

/// A chip with hardware for the tasks of phases, or with its software runtime.
void choose_substrate(scheduler_options& all, dice by) {
  if (!by.one_in(6)) return;
  const std::int64_t cores = std::int64_t{32} << by.below(3);
  all.simulate->machine = fmt::format("adm-cmp-{}c", cores);
  all.simulate->substrate = simulator::substrate_names[by.below(simulator::substrate_names.size())];
  all.workers = std::min(*all.workers, 2 * cores);  // one per hardware thread
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

std::string random_policy(dice& by, std::int64_t workers) { return drawn_policy(by, workers, 0); }

plan plan_of(const wishes& fixed, std::uint64_t step) {
  plan p;
  auto by = [&](purpose what) { return dice_for(fixed, step, what); };
  const std::int64_t workers = fixed.workers.value_or(drawn_workers(by(of_workers)));
  dice of_its_policy = by(of_policy);
  p.scheduler.policy = fixed.policy.empty() ? random_policy(of_its_policy, workers) : fixed.policy;
  p.scheduler.workers = workers;
  p.scheduler.simulate = drawn_simulation(fixed, step);
  choose_substrate(p.scheduler, by(of_substrate));
  choose_options(p.scheduler, by(of_options));
  p.schedule = by(of_schedule).seed();
  dice of_its_program = by(of_program);
  p.program = of_its_program.seed();
  p.tasks = static_cast<std::uint32_t>(of_its_program.magnitude(8, 1500));
  return p;
}

std::string text_of(const plan& of) {
  const scheduler_options& all = of.scheduler;
  const std::string& substrate = all.simulate->substrate;
  return fmt::format("{} on {}{}{} with {} worker{}", all.policy, all.simulate->machine,
                     substrate.empty() ? "" : ", ", substrate, *all.workers, *all.workers == 1 ? "" : "s");
}

}  // namespace skua::cli::fuzz
