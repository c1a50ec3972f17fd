// random: any other worker, with equal chances.
#include <algorithm>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class random_victim final : public steal_policy {
 public:
  random_victim(amount how_much, bool once) : how_much_(how_much), once_(once) {}

  stolen acquire(thief& self) override {
    const std::size_t others = self.workers() - 1, tries = once_ ? std::min<std::size_t>(1, others) : others;
    for (std::size_t i = 0; i < tries; ++i) {
      // Drawn among the others: a number from this worker's own on means the worker after it.
      const std::size_t drawn = self.random(others);
      const worker_id victim = static_cast<worker_id>(drawn < self.id() ? drawn : drawn + 1);
      if (stolen task = self.try_steal(victim, how_much_)) return task;
    }
    return {};
  }

 private:
  const amount how_much_;
  const bool once_;
};

constexpr policy_option random_options[] = {
    half_option,
    {policy_option::flag, "once", "no",
     "one try a round and then a pause, as in TBB's loop, instead of as many tries as there are others"}};

constexpr std::string_view random_drawing = R"(
     0     1    (2)    3     4     5     6     7
     ▲     ▲     │     ▲     ▲     ▲     ▲     ▲
     └─────┴─────┴─────┴─────┴─────┴─────┴─────┘
       all with the same chance, at every try; with `once` there is one try,
       and a pause before the next
)";

}  // namespace

const builtin random{
    {.name = "random",
     .summary = "any other worker, with equal chances",
     .what = "The thief makes as many tries as there are other workers. It draws a victim for "
             "each try. With `once` it makes a single try: a thief that finds nothing then pauses before "
             "it tries again.",
     .helps = "Programs without locality: it is the usual baseline, and spreads load evenly.",
     .hurts = "Memory-bound programs on machines with several caches, since most victims are far.",
     .cost = no_cost,
     .paper = "Blumofe and Leiserson (1999); the baseline of all five papers",
     .options = random_options,
     .drawing = random_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<random_victim>(amount_of(given), given.flag("once"));
    }};

}  // namespace skua::policy
