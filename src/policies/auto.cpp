// auto: for each call site, the policy of several under which it has run fastest. The scheduler measures and chooses.
#include <array>
#include <string_view>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

// In the order in which they are tried. The policy with two tiers is only tried where it is promising.
constexpr std::array<std::string_view, 4> names{"nearest", "bitier(spread)", "announced", "random"};

class chosen_by_time final : public steal_policy {
 public:
  chosen_by_time() {
    for (std::size_t i = 0; i < names.size(); ++i) {
      policies_[i] = make_policy(names[i]);
      candidates_[i] = {names[i], policies_[i].get()};
    }
  }

  std::span<const candidate_policy> candidates() const override { return candidates_; }
  void on_start(const thief& self) override {
    self_ = &self;
    for (const auto& one : policies_) one->on_start(self);
  }
  stolen acquire(thief& self) override { return policies_[self.chosen()]->acquire(self); }

  // Workers deal and announce only while a candidate that wants it is in use.
  dealing deals() const override { return policies_.front()->deals(); }
  std::optional<announce_thresholds> announce_at(const queue_rates& rates) const override {
    for (const auto& one : policies_)
      if (const auto at = one->announce_at(rates)) return at;
    return std::nullopt;
  }
  bool has_tiers() const override { return self_ && policies_[self_->chosen()]->has_tiers(); }
  bool spreads() const override { return self_ && policies_[self_->chosen()]->spreads(); }
  std::uint32_t boundary_level(const thief& self, const region_shape& shape) const override {
    return policies_[self.chosen()]->boundary_level(self, shape);
  }

 private:
  std::array<std::unique_ptr<steal_policy>, names.size()> policies_;
  std::array<candidate_policy, names.size()> candidates_;
  const thief* self_ = nullptr;
};

constexpr std::string_view auto_drawing = R"(
                     ┌──► nearest      call site a: decided, nearest
                     ├──► bitier       call site b: decided, bitier(spread)
(0) ── chosen now ───┤
                     ├──► announced    call site c: exploring,
                     └──► random                    nearest against random
)";

}  // namespace

const builtin automatic{
    {.name = "auto",
     .summary =
         "for each call site the fastest of nearest, bitier(spread), announced and random, by measured times",
     .what = "All workers use one policy at a time. The scheduler measures the calls of external threads, "
             "and the regions and loops directly in them, by call site and size. Each site begins with "
             "`nearest` until its times are steady, tries the other policies in turn, and keeps the fastest "
             "one. A policy that turns out to be much slower does not run to the end of the call, region or "
             "loop. One that has won and turns out to be slower than the policy before it is left again. One "
             "site at a time tries other policies, since the sites share the workers. The others are tried "
             "again when the site's time changes by a tenth, and after 512 runs. "
             "`bitier(spread)` is tried for regions that have a boundary level. On a machine with one domain "
             "only `nearest` is used, and nothing is measured. If SKUA_LEARNT names a file, later processes "
             "begin with the policy that was chosen; `skua tune ./program` fills it.",
     .helps = "Programs that repeat the same calls, regions or loops on machines with several domains: which "
              "policy is best depends on both, and often none of the rules of thumb holds.",
     .hurts =
         "Sites that run fewer than about 20 times gain nothing, unless an earlier process has chosen a "
         "policy for them. Where data are expensive to move, other policies are tried only after up to 200 "
         "runs. What they lose is less than 2% of the site's time, apart from the last trial; 100 runs are "
         "assumed until there are more. What other sites lose while a site tries a policy counts as its "
         "loss. Calls of several threads that overlap are not measured.",
     .cost = no_cost,
     .paper = "the TBB thesis, future work: predicting the best technique for an application",
     .options = {},
     .drawing = auto_drawing},
    [](const arguments&) -> std::unique_ptr<steal_policy> { return std::make_unique<chosen_by_time>(); }};

}  // namespace skua::policy
