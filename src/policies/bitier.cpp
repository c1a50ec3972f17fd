// bitier: heads spread inter-domain tasks over domains; intra-domain tasks stay in their domain.
#include <optional>
#include <utility>

#include "policies/boundary_level.hpp"
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class bi_tier final : public steal_policy {
 public:
  bi_tier(std::int64_t boundary, std::size_t large, bool spread)
      : boundary_(boundary), large_(large), spread_(spread) {}

  void on_start(const thief& self) override {
    const placement& placed = self.machine();
    for (domain_id d = 0; d < placed.domains(); ++d)
      if (!placed.domain_workers(d).empty()) domains_.push_back(d);
    mine_ = placed[self.id()].domain;
    cache_bytes_ = self.domain_cache_bytes();
  }

  // The paper's Algorithm I. The core does step 1, the own pool.
  stolen acquire(thief& self) override {
    if (!self.tiered()) return from_any_worker(self);  // boundary level 0 is plain stealing
    if (self.busy(mine_)) {                            // steps 2 and 3: a random victim inside the domain
      fruitless_ = 0;
      return from_inside(self);
    }
    if (self.is_head()) {
      if (stolen task = self.try_take(mine_))
        return found(std::move(task));  // step 4: its own inter-domain pool
      if (stolen task = from_another_domain(self)) return found(std::move(task));
      return far_from_regions(self);
    }
    return {};  // any other worker only retries its own pool
  }

  bool has_tiers() const override { return true; }
  bool spreads() const override { return spread_; }
  // A worker hands the joins of a region to workers of its own domain only.
  dealing deals() const override { return spread_ ? dealing::large : dealing::never; }

  std::uint32_t boundary_level(const thief&, const region_shape& shape) const override {
    if (domains_.size() <= 1) return 0;
    if (boundary_ >= 0) return static_cast<std::uint32_t>(boundary_);
    if (shape.input_bytes < large_) return 0;  // CPU-bound, by the rule of thumb
    return policy::boundary_level(domains_.size(), shape.branching, shape.input_bytes, cache_bytes_);
  }

 private:
  // Without `spread`, the rounds before the task count on: the runs of docs/fidelity.md were made so.
  stolen found(stolen task) {
    if (spread_) fruitless_ = 0;
    return task;
  }
  stolen from_any_worker(thief& self) {
    const std::size_t others = self.workers() - 1;
    for (std::size_t i = 0; i < others; ++i)
      if (stolen task = from_a_worker(self)) return task;
    return {};
  }
  stolen from_a_worker(thief& self) {
    const auto drawn = static_cast<worker_id>(self.random(self.workers() - 1));
    return self.try_steal(drawn < self.id() ? drawn : drawn + 1);
  }
  stolen from_inside(thief& self) const {
    const auto inside = self.machine().domain_workers(mine_);
    if (inside.size() == 1) return {};
    const worker_id drawn = inside[self.random(inside.size() - 1)];
    return self.try_steal(drawn == self.id() ? inside.back() : drawn);
  }
  // Step 5: another random domain's pool.
  stolen from_another_domain(thief& self) {
    return spread_ ? from_overloaded_domain(self) : self.try_take(another_domain(self));
  }
  // A task was placed in the pool for this domain. If the domain is free, its head takes the task soon. While the head takes it,
  // the domain is busy already, so only a domain that is still busy a round later has too much to do.
  stolen from_overloaded_domain(thief& self) {
    if (const auto seen = std::exchange(seen_busy_, std::nullopt); seen && self.busy(*seen))
      return self.try_take(*seen);
    const domain_id other = another_domain(self);
    if (self.busy(other)) {
      seen_busy_ = other;
      return {};
    }
    return fruitless_ % patience_with_free == patience_with_free - 1 ? self.try_take(other) : stolen{};
  }
  domain_id another_domain(thief& self) const {
    const domain_id drawn = domains_[self.random(domains_.size() - 1)];
    return drawn == mine_ ? domains_.back() : drawn;
  }
  // Finds work that belongs to no region. The core keeps the tasks of a region in their domain.
  stolen far_from_regions(thief& self) {
    ++fruitless_;
    if (self.forces()) return from_any_worker(self);
    // A round over all workers of a large machine takes longer than a short region, and meanwhile the head would not notice
    // the task that is meant for its domain.
    if (spread_) return fruitless_ < patience ? stolen{} : from_a_worker(self);
    return fruitless_ % patience == 0 ? from_any_worker(self) : stolen{};
  }

  static constexpr std::size_t patience = 64;  // rounds
  // The head of a free domain needs a few rounds. One task that another domain takes first costs more than a long wait.
  static constexpr std::size_t patience_with_free = 1024;
  const std::int64_t boundary_;
  const std::size_t large_;
  const bool spread_;
  std::vector<domain_id> domains_;  // that have workers
  domain_id mine_ = 0;
  std::size_t cache_bytes_ = 0;
  std::optional<domain_id> seen_busy_;  // in the last round
  std::size_t fruitless_ = 0;
};

constexpr policy_option bitier_options[] = {
    {policy_option::whole,
     "boundary",
     "-1",
     "the boundary level of every region; -1: equation 4 gives it",
     {},
     -1,
     32},
    {policy_option::bytes,
     "large",
     "1048576",
     "bytes of input; a region with fewer counts as CPU-bound, and its boundary level is 0",
     {},
     0,
     1e15},
    {policy_option::flag, "spread", "no",
     "give each domain the same part of a region every time, and hand tasks directly to idle workers"}};

constexpr std::string_view bitier_drawing = R"(
┌ domain 0: busy ──────────────┐     ┌ domain 1: not busy ──────────┐
│  pool of inter-domain tasks  │     │  pool of inter-domain tasks  │
│        ▲                     │     │      ▲                       │
│        │                     │     │      │ first                 │
│        └─────────────────────┼─────┼──────┤                       │
│                        then  │     │      │                       │
│   0     1    (2)    3        │     │     (4)    5     6     7     │
│   ▲     ▲     │     ▲        │     │    head    these wait        │
│   └─────┴─────┴─────┘        │     │                              │
│   intra-domain tasks         │     │                              │
└──────────────────────────────┘     └──────────────────────────────┘
)";

}  // namespace

const builtin bitier{
    {.name = "bitier",
     .summary = "two tiers: large tasks are spread over domains; the tasks they fork stay in "
                "their domain",
     .what = "A join of a region (skua::shaped) above the region's boundary level makes "
             "inter-domain tasks. They lie in a pool, one for each domain. A domain runs one inter-domain "
             "task at a time. Only its head takes one, from its own pool first. Tasks below the boundary "
             "are stolen inside the domain only. Heads find work that belongs to no region after many "
             "fruitless rounds. Equation 4 gives the boundary level: enough tasks for all domains, and "
             "each task's data fit into its domain's cache. Without a region, or on one domain, this is "
             "plain random stealing. "
             "With `spread`, a task's place in the recursion decides for which domain it is meant: the first "
             "half "
             "of a region is meant for the first half of the domains, and so on. The task lies in that "
             "domain's pool. "
             "The head of another domain takes it only if its domain is busy, or after many fruitless "
             "rounds. So each "
             "domain finds its data in its cache when a region is repeated. Inside a domain a worker hands "
             "new joins "
             "directly to idle workers, as under `nearest`. This is not a part of the paper.",
     .helps = "Memory-bound divide and conquer on several sockets or caches: adjacent data are "
              "processed under one cache.",
     .hurts = "Regions with too few or very uneven tasks at the boundary leave domains idle. "
              "CPU-bound programs gain nothing. The policy has no effect on a program that does not "
              "declare the shapes of its regions.",
     .cost = "nothing below the boundary; a join above it runs out of line and takes two locks: "
             "57 ns without a thief (`build/release/bench/policy_costs`)",
     .paper = "CAB, bi-tier stealing",
     .options = bitier_options,
     .drawing = bitier_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<bi_tier>(given.number("boundary"),
                                       static_cast<std::size_t>(given.number("large")), given.flag("spread"));
    }};

}  // namespace skua::policy
