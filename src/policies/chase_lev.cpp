// chase_lev: the papers' software baseline: Chase-Lev deques, nearest victim first, half of its tasks.
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class software_baseline final : public steal_policy {
 public:
  stolen acquire(thief& self) override {
    for (std::size_t level = 0; level < self.levels(); ++level)
      if (stolen task = go_round(self, self.at_distance(level))) return task;
    return {};
  }
  queue_kind queue() const override { return queue_kind::chase_lev; }

 private:
  // From a random start, so that several thieves do not queue at the same victim.
  static stolen go_round(thief& self, std::span<const worker_id> victims) {
    if (victims.empty()) return {};
    const std::size_t start = self.random(victims.size());
    for (std::size_t i = 0; i < victims.size(); ++i)
      if (stolen task = self.try_steal(victims[(start + i) % victims.size()], amount::half)) return task;
    return {};
  }
};

constexpr std::string_view chase_lev_drawing = R"(
┌ domain 0 ─────────────────┐  ┌ domain 1 ─────────────────┐
│  (0)    1     2     3     │  │   4     5     6     7     │
│   │     ▲     ▲     ▲     │  │   ▲     ▲     ▲     ▲     │
└───┼─────┼─────┼─────┼─────┘  └───┼─────┼─────┼─────┼─────┘
    ├─────┴─────┴─────┘ first:     │     │     │     │
    │            half of a deque   │     │     │     │
    └──────────────────────────────┴─────┴─────┴─────┘ then
)";

}  // namespace

const builtin chase_lev{
    {.name = "chase_lev",
     .summary = "the papers' software baseline: Chase-Lev deques, nearest first, half; for "
                "comparison only",
     .what = "The thief makes one round over all victims, nearest level first. It takes half of "
             "the tasks of the first victim that has any. Joins and loops lie in one Chase-Lev deque for "
             "each stack, where every task is public as soon as it is forked. A thief that takes several "
             "tasks takes them one by one, the oldest first. Phases lie in such deques too. They end as "
             "in X10's work stealing: a worker that finds nothing checks out at one counter, and checks "
             "in before it steals. Group tasks stay in skua's own queue. The deques exist only where "
             "chase_lev is the scheduler's whole policy; as a part of mix it steals in the same order "
             "from skua's own queues.",
     .helps = "To measure how much faster skua's own queue is, on the same machine with the same programs. "
              "Where the "
              "kernel refuses membarrier(2), forks cost less with it than with the other policies, "
              "34 in place of 53 ns (`build/release/bench/without_membarrier`).",
     .hurts = "Every fork, even without a thief. Its times are those of an out-of-line fork. They "
              "say nothing about an inlined Chase-Lev deque.",
     .cost = "every fork makes a function call and a fence: 16 ns on one worker, where nearest "
             "takes 3 (`build/release/bench/policy_costs`)",
     .paper = "ADM, the software baseline; Chase and Lev (2005), with the orders of Lê et al. (2013)",
     .drawing = chase_lev_drawing},
    [](const arguments&) -> std::unique_ptr<steal_policy> { return std::make_unique<software_baseline>(); }};

}  // namespace skua::policy
