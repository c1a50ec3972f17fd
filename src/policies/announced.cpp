// announced: thieves steal from workers that have announced that they have enough tasks.
#include <algorithm>
#include <cmath>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

/// TATL's thresholds, after the reorder points of inventory control: S = C - lambda * T_push + mu * T_pop and
/// s = mu * T_pop, rounded to whole tasks. At S there are enough tasks even if the next push is late. At s there are as many
/// tasks as the worker runs while it takes one out. S is at least s + 1.
announce_thresholds inventory_thresholds(std::size_t capacity, const queue_rates& rates) {
  const double arriving = rates.arrivals_per_s * rates.push_ns * 1e-9;
  const double served = rates.services_per_s * rates.pop_ns * 1e-9;
  const double lower = std::max(0.0, std::round(served));
  const double upper = std::max(lower + 1, std::round(static_cast<double>(capacity) - arriving + served));
  return {.upper = static_cast<std::size_t>(upper), .lower = static_cast<std::size_t>(lower)};
}

class announced_victims final : public steal_policy {
 public:
  announced_victims(std::size_t capacity, std::size_t patience, amount how_much)
      : capacity_(capacity), patience_(patience), how_much_(how_much) {}

  // The own domain first, then the other domains, nearest first.
  void on_start(const thief& self) override {
    const placement& placed = self.machine();
    domains_.push_back(placed[self.id()].domain);
    for (std::size_t level = 0; level < self.levels(); ++level)
      for (const worker_id other : self.at_distance(level))
        if (std::find(domains_.begin(), domains_.end(), placed[other].domain) == domains_.end())
          domains_.push_back(placed[other].domain);
  }

  stolen acquire(thief& self) override {
    for (const domain_id domain : domains_) {
      const auto victim = self.announced_in(domain);
      if (!victim) continue;
      if (stolen task = self.try_steal(*victim, how_much_)) return found(std::move(task));
    }
    if (++fruitless_ < patience_ && !self.forces()) return {};
    return found(from_the_unannounced(self));
  }

  std::optional<announce_thresholds> announce_at(const queue_rates& rates) const override {
    return inventory_thresholds(capacity_, rates);
  }

 private:
  stolen found(stolen task) {
    if (task) fruitless_ = 0;
    return task;
  }
  // Finds a queue that never reaches the threshold: looks at loads, nearest first.
  stolen from_the_unannounced(thief& self) const {
    for (std::size_t level = 0; level < self.levels(); ++level)
      for (const worker_id victim : self.at_distance(level))
        if (self.load(victim) != 0)
          if (stolen task = self.try_steal(victim, how_much_)) return task;
    return {};
  }

  const std::size_t capacity_, patience_;
  const amount how_much_;
  std::vector<domain_id> domains_;
  std::size_t fruitless_ = 0;  // rounds
};

constexpr policy_option announced_options[] = {
    {policy_option::whole,
     "capacity",
     "4",
     "C in the formula of the upper threshold, in tasks",
     {},
     1,
     10000},
    {policy_option::whole,
     "patience",
     "16",
     "rounds without an announced victim before the thief looks at loads, nearest first",
     {},
     1,
     1e6},
    half_option};

constexpr std::string_view announced_drawing = R"(
┌ domain 0 ─────────────────┐    ┌ domain 1 ─────────────────┐
│    word: -  -  -  -       │    │    word: -  A  -  A       │  A: announced
│      ▲                    │    │      ▲                    │
│      │ first              │    │      │ second             │
│     (0)───────────────────┼────┼──────┘                    │
│      │    1  2  3         │    │       4  5  6  7          │
│      │                    │    │          ▲                │
│      └────────────────────┼────┼── steal ─┘                │
└───────────────────────────┘    └───────────────────────────┘
)";

}  // namespace

const builtin announced{
    {.name = "announced",
     .summary = "steals from workers that have announced that they have enough tasks, own domain "
                "first",
     .what = "A worker announces itself when its queue reaches the upper threshold, S = C - "
             "lambda T_push + mu T_pop. It withdraws the announcement at the lower threshold, s = mu "
             "T_pop. The times are measured at start, the rates during the run. A thief reads one word "
             "for each domain, its own domain first. After some rounds without an announced victim "
             "the thief looks at loads, so it also finds queues that never reach S.",
     .helps = "Many thieves and few workers with tasks: few attempts fail, and a look costs one "
              "read for each domain instead of one for each worker.",
     .hurts = "Loops and other programs with short queues never announce, so each time their "
              "thieves first make `patience` rounds without success.",
     .cost = "nothing while the queue is shorter than S and no worker is idle; each time the "
             "queue reaches S, one call publishes the tasks and sets a bit in a word that all workers of "
             "the domain share; no difference in fib (`build/release/bench/policy_costs`)",
     .paper = "TATL, self-announcing victims",
     .options = announced_options,
     .drawing = announced_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<announced_victims>(static_cast<std::size_t>(given.number("capacity")),
                                                 static_cast<std::size_t>(given.number("patience")),
                                                 amount_of(given));
    }};

}  // namespace skua::policy
