// What one step of `skua fuzz` runs: a scheduler on a simulated machine, a hostile schedule, and the size of a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <skua/scheduler.hpp>

namespace skua::cli::fuzz {

/// The values that the user has fixed. The others are drawn.
struct wishes {
  std::uint64_t seed = 1;
  std::string policy;                   // empty: any
  std::optional<std::int64_t> workers;  // empty: 1 to max_workers
};

inline constexpr std::int64_t max_workers = 256;

struct plan {
  scheduler_options scheduler;
  std::uint64_t schedule = 1;  // seed of the hostile schedule
  std::uint64_t program = 1;   // seed of the program
  std::uint32_t tasks = 1;
};

/// The same wishes and step give the same plan on every machine.
plan plan_of(const wishes& fixed, std::uint64_t step);
/// "bitier(boundary=2) on package:2 core:4 pu:1 with 8 workers".
std::string text_of(const plan& of);

/// A random policy with random options. `workers` limits options that are numbers of workers.
class dice;
std::string random_policy(dice& by, std::int64_t workers);

}  // namespace skua::cli::fuzz
