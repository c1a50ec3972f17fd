// What one step of `skua fuzz` runs: a scheduler on a simulated machine, a hostile schedule, and how large a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <skua/scheduler.hpp>

namespace skua::cli::fuzz {

/// What the user has fixed; the rest is drawn.
struct wishes {
  std::uint64_t seed = 1;
  std::string policy;                   // empty: any
  std::optional<std::int64_t> workers;  // none: 1 to most_workers
};

inline constexpr std::int64_t max_workers = 256;

struct plan {
  scheduler_options scheduler;
  std::uint64_t fate = 1;     // the seed of the hostile schedule
  std::uint64_t program = 1;  // that of the program
  std::uint32_t tasks = 1;
};

/// The same for the same wishes and step, on every machine.
plan plan_of(const wishes& fixed, std::uint64_t step);
/// "bitier(boundary=2) on package:2 core:4 pu:1 with 8 workers".
std::string in_words(const plan& of);

/// A policy's text with options drawn among those that it allows. `workers` bounds what is a number of workers.
class dice;
std::string random_policy(dice& by, std::int64_t workers);

}  // namespace skua::cli::fuzz
