// Sites that share the workers: what one of them tries changes the times of the others.
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include "core/choosing/one_explorer.hpp"

namespace skua::core::one_explorer_test {
namespace {

constexpr std::size_t near = 0, far = 1;

/// Two loops that take turns. Policy `far` lets workers fall asleep; `near` wakes them in some episodes.
class two_loops {
 public:
  /// How long both take, relative to `near` while all are awake.
  double run_both() {
    double ns = 0;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const std::size_t policy = sites_[i].next();
      const double its_ns = awake_ns[i] * (policy == far ? 1.5 : asleep_ > 0 ? 2.8 : 1);
      asleep_ = policy == far ? 4 : asleep_ - 1;
      turns_.ended(sites_[i], false, its_ns, 1);
      ns += its_ns;
      explored_together_ |= sites_[0].next() != sites_[0].best() && sites_[1].next() != sites_[1].best();
    }
    return ns / (awake_ns[0] + awake_ns[1]);
  }
  const policy_trials& site(std::size_t i) const { return sites_[i]; }
  bool explored_together() const { return explored_together_; }

 private:
  static constexpr std::array<double, 2> awake_ns{13'000, 5'200};
  std::array<policy_trials, 2> sites_{policy_trials(0b11), policy_trials(0b11)};
  one_explorer turns_;
  int asleep_ = 0;
  bool explored_together_ = false;
};

// Each could find `near` slow while the other one tries `far`, and then `far` faster than that.
TEST(one_explorer, two_sites_do_not_lead_each_other_to_a_slower_policy) {
  constexpr int runs = 4000;
  two_loops loops;
  double took = 0;
  for (int i = 0; i < runs; ++i) took += loops.run_both();
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(loops.site(i).best(), near) << i;
    EXPECT_EQ(loops.site(i).reopened(), 0u) << "the other site is no change of the program";
    EXPECT_GT(loops.site(i).of(far).number(), 0u) << "it was tried";
  }
  EXPECT_FALSE(loops.explored_together());
  EXPECT_LT(took, 1.02 * runs + 10) << "what exploring costs at both sites, and the last trial";
}

/// Ends an episode that takes so many times 60 us.
void run(one_explorer& turns, policy_trials& at, double units) { turns.ended(at, false, units * 60'000, 1); }

TEST(one_explorer, what_a_rival_costs_other_sites_counts_against_it) {
  one_explorer turns;
  policy_trials own(0b11), other(0b1);
  for (int i = 0; i < 1000; ++i) {
    const bool is_rival = own.next() == far;
    run(turns, own, is_rival ? 0.8 : 1);
    run(turns, other, is_rival ? 1.5 : 1);
  }
  EXPECT_EQ(own.best(), near) << "0.2 less here and 0.5 more there";
  EXPECT_GT(own.of(far).mean(), 1.2 * 60'000);
}

TEST(one_explorer, a_site_that_runs_no_more_does_not_keep_others_from_exploring) {
  one_explorer turns;
  policy_trials gone(0b11), other(0b11);
  while (gone.next() == near) run(turns, gone, 1);
  for (int i = 0; i < 300; ++i) run(turns, other, other.next() == far ? 0.5 : 1);
  EXPECT_EQ(other.best(), far);
  for (int i = 0; i < 100; ++i) run(turns, gone, gone.next() == far ? 0.5 : 1);
  EXPECT_EQ(gone.best(), far) << "it may go on";
}

}  // namespace
}  // namespace skua::core::one_explorer_test
