// chaos: a legal and hostile policy for tests.
#include <algorithm>
#include <vector>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class hostile final : public steal_policy {
 public:
  explicit hostile(double refuse) : refuse_(static_cast<std::size_t>(refuse * 1000)) {}

  void on_start(const thief& self) override {
    for (std::size_t level = self.levels(); level-- > 0;) {
      const auto here = self.at_distance(level);
      victims_.insert(victims_.end(), here.rbegin(), here.rend());
    }
  }

  stolen acquire(thief& self) override {
    if (self.random(1000) < refuse_) return {};
    dawdle(self);
    for (const worker_id victim : victims_) {
      if (self.random(4) == 0) continue;
      if (stolen task = self.try_steal(victim, self.random(2) ? amount::half : amount::one)) return task;
    }
    return {};
  }

 private:
  // A policy has no clock. Looking at all victims takes time.
  void dawdle(thief& self) const {
    for (std::size_t i = self.random(32); i-- > 0;)
      for (const worker_id victim : victims_) static_cast<void>(self.load(victim));
  }

  const std::size_t refuse_;
  std::vector<worker_id> victims_;  // farthest first
};

constexpr policy_option chaos_options[] = {
    {policy_option::fraction, "refuse", "0.3", "the share of rounds in which it does nothing", {}, 0, 0.95}};

constexpr std::string_view chaos_drawing = R"(
┌ domain 0 ─────────────────┐   ┌ domain 1 ─────────────────┐
│ (0)     1     2     3     │   │  4     5     6     7      │
└──┼──────▲─────x─────▲─────┘   └──▲─────▲─────▲─────x──────┘
   │      │           │            │     │     │
   └──────┴───────────┴────────────┴─────┴─────┘
   the farthest first; one in four (x) is left out; in some rounds all are
)";

}  // namespace

const builtin chaos{
    {.name = "chaos",
     .summary = "legal and hostile: the worst victims, refusals and delays, for tests",
     .what = "The thief tries the farthest victims first and leaves out one in four. It takes one "
             "task or half of the tasks at random, after a delay of useless looks. In some rounds it does "
             "nothing.",
     .helps = "Finding wrong assumptions in a program or in the runtime.",
     .hurts = "Everything else.",
     .cost = no_cost,
     .paper = "none",
     .options = chaos_options,
     .drawing = chaos_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<hostile>(given.fraction("refuse"));
    }};

}  // namespace skua::policy
