// nearest: every victim once, by distance. The thesis' persistence and head-only stealing are options.
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

/// How often the thief tries a level before the next one: the nearest level 50 times, other levels of the domain 3
/// times, and levels outside of the domain once. In the thesis the sharers of a third-level cache are those of a
/// domain; they get 3 tries where there is a smaller shared cache.
std::size_t persistence(const thief& self, std::size_t level) {
  if (self.machine().level_nearness(level) > nearness::same_domain) return 1;
  return level == 0 ? 50 : 3;
}

class nearest_first final : public steal_policy {
 public:
  nearest_first(bool persistent, bool heads, amount how_much, dealing deals)
      : persistent_(persistent), heads_(heads), how_much_(how_much), deals_(deals) {}

  // With persistence or heads it is the policy of the thesis, in which all tasks are stolen.
  dealing deals() const override { return persistent_ || heads_ ? dealing::never : deals_; }

  stolen acquire(thief& self) override {
    for (std::size_t level = 0; level < self.levels(); ++level) {
      if (heads_ && !self.is_head() && self.machine().level_nearness(level) > nearness::same_domain) break;
      const std::size_t rounds = persistent_ ? persistence(self, level) : 1;
      for (std::size_t round = 0; round < rounds; ++round)
        if (stolen task = go_round(self, self.at_distance(level))) return task;
    }
    return {};
  }

 private:
  // From a random start, so that several thieves do not queue at the same victim.
  stolen go_round(thief& self, std::span<const worker_id> victims) const {
    if (victims.empty()) return {};
    const std::size_t start = self.random(victims.size());
    for (std::size_t i = 0; i < victims.size(); ++i)
      if (stolen task = self.try_steal(victims[(start + i) % victims.size()], how_much_)) return task;
    return {};
  }

  const bool persistent_, heads_;
  const amount how_much_;
  const dealing deals_;
};

constexpr std::string_view deal_values[] = {"never", "large", "always"};

dealing dealing_of(const arguments& given) {
  const std::string wanted = given.text("deal");
  return wanted == "large" ? dealing::large : wanted == "always" ? dealing::always : dealing::never;
}

constexpr policy_option nearest_options[] = {
    {policy_option::flag, "persistence", "no",
     "try the nearest level 50 times and the rest of the domain 3 times, then the other levels once"},
    {policy_option::flag, "heads", "no", "only the head of a domain steals across domains"},
    half_option,
    {policy_option::choice, "deal", "large",
     "when to hand new work directly to idle workers; large: with 8 workers or more; never with persistence, "
     "with heads or in mix",
     deal_values}};

constexpr std::string_view nearest_drawing = R"(
┌ package 0 ──────────────────┐  ┌ package 1 ──────────────────┐
│ ┌ cache ────┐ ┌ cache ────┐ │  │ ┌ cache ────┐ ┌ cache ────┐ │
│ │ (0)    1  │ │  2     3  │ │  │ │  4     5  │ │  6     7  │ │
│ └──┼─────▲──┘ └──▲─────▲──┘ │  │ └──▲─────▲──┘ └──▲─────▲──┘ │
└────┼─────┼───────┼─────┼────┘  └────┼─────┼───────┼─────┼────┘
     ├─────┘ first │     │            │     │       │     │
     ├─────────────┴─────┘ then       │     │       │     │
     └────────────────────────────────┴─────┴───────┴─────┘ last
)";

}  // namespace

const builtin nearest{
    {.name = "nearest",
     .summary = "the nearest victims first: same cache, same domain, then farther",
     .what = "The thief makes one round over all victims, nearest level first. It begins each "
             "level at a random victim, so that several thieves do not try the same one first. In "
             "schedulers of 8 workers or more, a worker hands a new join or loop, or several group "
             "tasks together, directly to an idle worker. It also passes on half of its list of "
             "workers that are probably idle. Both workers then hand out work from their halves, so "
             "a loop reaches all workers soon. Thieves steal the tasks that are not handed over.",
     .helps = "Memory-bound programs on machines with several caches: the data of a stolen task "
              "were probably written nearby.",
     .hurts = "A few programs lose time, because a thief tries all near victims before a far one that "
              "has much work. With persistence a thief may search for long before it finds the only "
              "task. With heads, a domain gets no tasks from outside while its head works.",
     .cost = no_cost,
     .paper = "the TBB thesis, nearest-neighbour stealing",
     .options = nearest_options,
     .drawing = nearest_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<nearest_first>(given.flag("persistence"), given.flag("heads"), amount_of(given),
                                             dealing_of(given));
    }};

}  // namespace skua::policy
