// mix: one of two policies in each round, at random.
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class mixture final : public steal_policy {
 public:
  mixture(double share, std::unique_ptr<steal_policy> first, std::unique_ptr<steal_policy> second)
      : share_(static_cast<std::size_t>(share * sides + 0.5)),
        first_(std::move(first)),
        second_(std::move(second)) {}

  void on_start(const thief& self) override {
    first_->on_start(self);
    second_->on_start(self);
  }
  stolen acquire(thief& self) override {
    return self.random(sides) < share_ ? first_->acquire(self) : second_->acquire(self);
  }
  std::optional<announce_thresholds> announce_at(const queue_rates& rates) const override {
    const auto by_first = first_->announce_at(rates);
    return by_first ? by_first : second_->announce_at(rates);
  }
  // With rescue, because the other policy takes from any queue.
  std::optional<management_options> managed() const override {
    auto how = first_->managed();
    if (!how) how = second_->managed();
    if (how) how->rescue = true;
    return how;
  }
  bool has_tiers() const override { return first_->has_tiers() || second_->has_tiers(); }
  std::uint32_t boundary_level(const thief& self, const region_shape& shape) const override {
    return (first_->has_tiers() ? first_ : second_)->boundary_level(self, shape);
  }

 private:
  static constexpr std::size_t sides = 1000;
  const std::size_t share_;
  const std::unique_ptr<steal_policy> first_, second_;
};

constexpr policy_option mix_options[] = {
    {policy_option::fraction,
     "share",
     "0.5",
     "the probability of the first policy, to a thousandth",
     {},
     0,
     1},
    {policy_option::policy, "first", "nearest", "a policy with its options"},
    {policy_option::policy, "second", "random", "another policy with its options"}};

constexpr std::string_view mix_drawing = R"(
              ┌── share ───────► first,   as in nearest(heads)
(0) ── dice ──┤
              └── 1 - share ───► second,  as in random
)";

}  // namespace

const builtin mix{
    {.name = "mix",
     .summary = "one of two policies in each round, at random: mix(0.9, nearest(heads), random)",
     .what = "Each round uses the first policy with the probability `share`, else the second.",
     .helps = "Programs in which an aware policy alone starves a worker: a little randomness "
              "finds the victim that the policy never tries.",
     .hurts = "Locality, in proportion to the share of the random policy.",
     .cost = no_cost,
     .paper = "the TBB thesis, future work: hybrids of random and aware stealing",
     .options = mix_options,
     .drawing = mix_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<mixture>(given.fraction("share"), given.policy("first"),
                                       given.policy("second"));
    }};

}  // namespace skua::policy
