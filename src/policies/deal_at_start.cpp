// deal_at_start: each domain gets a large piece first; then its workers share it.
#include <algorithm>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class dealt_pieces final : public steal_policy {
 public:
  explicit dealt_pieces(std::size_t patience) : patience_(patience) {}

  void on_start(const thief& self) override {
    const placement& placed = self.machine();
    mine_ = placed[self.id()].domain;
    for (std::size_t k = 1; k < placed.domains(); ++k) {
      const auto other = static_cast<domain_id>((mine_ + k) % placed.domains());
      if (!placed.domain_workers(other).empty()) others_.push_back(other);
    }
  }

  stolen acquire(thief& self) override {
    if (stolen task = from_domain(self, mine_, amount::one)) return found(std::move(task));
    ++fruitless_;
    // The head fetches at once. The other workers fetch only after many fruitless rounds.
    if (!self.is_head() && fruitless_ % patience_ != 0 && !self.forces()) return {};
    for (const domain_id other : others_)
      if (stolen task = from_domain(self, other, amount::half)) return found(std::move(task));
    return {};
  }

 private:
  stolen found(stolen task) {
    fruitless_ = 0;
    return task;
  }
  // From a random start, so that the workers of a domain begin with different victims.
  static stolen from_domain(thief& self, domain_id domain, amount how_much) {
    const auto victims = self.machine().domain_workers(domain);
    const std::size_t start = self.random(victims.size());
    for (std::size_t i = 0; i < victims.size(); ++i) {
      const worker_id victim = victims[(start + i) % victims.size()];
      if (victim == self.id() || self.load(victim) == 0) continue;
      if (stolen task = self.try_steal(victim, how_much)) return task;
    }
    return {};
  }

  const std::size_t patience_;
  std::vector<domain_id> others_;  // in ring order, so that heads begin with different domains
  domain_id mine_ = 0;
  std::size_t fruitless_ = 0;  // rounds
};

constexpr policy_option deal_at_start_options[] = {
    {policy_option::whole,
     "patience",
     "64",
     "fruitless rounds after which a worker that is not a head also looks outside its domain",
     {},
     1,
     1e6}};

constexpr std::string_view deal_at_start_drawing = R"(
┌ domain 0 ─────────────────┐    ┌ domain 1: empty ──────────┐
│   0     1     2     3     │    │  (4)    5     6     7     │
│   ▲     ▲     ▲     ▲     │    │   │▲    │     │     │     │
│   │     │     │     │     │    │   │└────┴─────┴─────┘     │
│   │     │     │     │     │    │   │  then: one at a time  │
│   └─────┴─────┴─────┴─────┼────┼───┘                       │
│        first: half        │    │  head                     │
└───────────────────────────┘    └───────────────────────────┘
)";

}  // namespace

const builtin deal_at_start{
    {.name = "deal_at_start",
     .summary = "heads fetch a large piece for their domain, whose workers then share it",
     .what = "A worker steals inside its domain, one task at a time. When the domain has no task, "
             "its head takes half of the tasks that a worker of another domain has published, the oldest "
             "and so the largest first. The other workers of the domain wait for that, and look outside "
             "only after many fruitless rounds. At the start every domain but one is empty, so each "
             "domain gets a large piece before any worker takes a small one.",
     .helps = "Programs whose data lie together in large pieces, on machines with several "
              "packages.",
     .hurts = "While a head runs a long task, its domain may idle until the patience of the other "
              "workers ends. If a piece turns out to be small, the head must fetch again.",
     .cost = no_cost,
     .paper = "the TBB thesis, future work: large pieces dealt to packages at the start",
     .options = deal_at_start_options,
     .drawing = deal_at_start_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<dealt_pieces>(static_cast<std::size_t>(given.number("patience")));
    }};

}  // namespace skua::policy
