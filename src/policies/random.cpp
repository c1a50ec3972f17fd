// random: any other worker, with equal chances.
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class random_victim final : public steal_policy {
 public:
  explicit random_victim(amount how_much) : how_much_(how_much) {}

  stolen acquire(thief& self) override {
    const std::size_t others = self.workers() - 1;
    for (std::size_t i = 0; i < others; ++i) {
      // Drawn among the others: numbers from this worker's own on stand for the next worker.
      const std::size_t drawn = self.random(others);
      const worker_id victim = static_cast<worker_id>(drawn < self.id() ? drawn : drawn + 1);
      if (stolen task = self.try_steal(victim, how_much_)) return task;
    }
    return {};
  }

 private:
  const amount how_much_;
};

constexpr policy_option options[] = {half_option};

constexpr std::string_view drawing = R"(
     0     1    (2)    3     4     5     6     7
     ▲     ▲     │     ▲     ▲     ▲     ▲     ▲
     └─────┴─────┴─────┴─────┴─────┴─────┴─────┘
       all with the same chance, at every try
)";

}  // namespace

const builtin random{
    {.name = "random",
     .summary = "any other worker, with equal chances",
     .what = "As many tries as there are other workers, each at a victim drawn anew.",
     .helps = "Nothing special: it is the field's baseline, and spreads load evenly.",
     .hurts = "Memory-bound programs on machines with several caches, since most victims are far.",
     .cost = no_cost,
     .paper = "Blumofe and Leiserson (1999); the baseline of all five papers",
     .options = options,
     .drawing = drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<random_victim>(amount_of(given));
    }};

}  // namespace skua::policy
