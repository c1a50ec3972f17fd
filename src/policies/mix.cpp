// mix: two policies by turns, as the dice say.
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
  // The other one takes from whom it likes.
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

constexpr policy_option options[] = {{policy_option::fraction,
                                      "share",
                                      "0.5",
                                      "how often the first policy is asked, to a thousandth",
                                      {},
                                      0,
                                      1},
                                     {policy_option::policy, "first", "nearest", "a policy, options and all"},
                                     {policy_option::policy, "second", "random", "another"}};

constexpr std::string_view drawing = R"(
              ┌── share ───────► first,   as in nearest(heads)
(0) ── dice ──┤
              └── 1 - share ───► second,  as in random
)";

}  // namespace

const builtin mix{
    {.name = "mix",
     .summary = "one of two policies each time, as the dice say: mix(0.9, nearest(heads), random)",
     .what = "Every round is the first policy's with the probability `share`, else the second's.",
     .helps =
         "Where an aware policy alone starves somebody: a little randomness finds the victim it never asks.",
     .hurts = "Locality, in proportion to what is random.",
     .cost = no_cost,
     .paper = "the TBB thesis, future work: hybrids of random and aware stealing",
     .options = options,
     .drawing = drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<mixture>(given.fraction("share"), make_policy(given.text("first")),
                                       make_policy(given.text("second")));
    }};

}  // namespace skua::policy
