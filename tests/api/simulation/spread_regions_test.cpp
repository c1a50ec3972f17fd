// Regions under bitier(spread), again and again: each domain runs the same part every time, so data stay in its caches. Costs and
// data are declared, so each run gives the same numbers.
#include <cstddef>
#include <cstdio>
#include <skua/skua.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/at_same_place.hpp"
#include "tests/support/sanitizers.hpp"

namespace spread_regions_test {
namespace {

constexpr int sweeps = 12, counted = 4;

struct outcome {
  double us;    // a sweep, of those that count
  double same;  // the share of leaves that ran in the same domain in the last two sweeps
};

class triad {
 public:
  triad(const char* policy, const char* machine, std::size_t n, std::size_t leaf)
      : pool_({.policy = policy, .simulate = skua::simulation{.machine = machine}}),
        a_(n),
        b_(n),
        c_(n),
        leaf_(leaf),
        ran_in_(n / leaf) {}

  outcome run() {
    double us = 0;
    std::vector<skua::domain_id> before;
    pool_.run([&] {
      for (int i = 0; i < sweeps; ++i) {
        before = ran_in_;
        const double began = pool_.simulated_so_far().seconds;
        skua::shaped({.input_bytes = 3 * sizeof(double) * a_.size(), .branching = 2},
                     [&] { rows(0, a_.size()); });
        if (i >= sweeps - counted) us += 1e6 * (pool_.simulated_so_far().seconds - began) / counted;
      }
    });
    std::size_t same = 0;
    for (std::size_t k = 0; k < ran_in_.size(); ++k) same += ran_in_[k] == before[k];
    return {us, static_cast<double>(same) / static_cast<double>(ran_in_.size())};
  }

 private:
  void rows(std::size_t first, std::size_t last) {
    if (last - first > leaf_) {
      const std::size_t middle = first + (last - first) / 2;
      skua::join([=, this] { rows(first, middle); }, [=, this] { rows(middle, last); });
      return;
    }
    skua::reads(&b_[first], last - first);
    skua::reads(&c_[first], last - first);
    skua::writes(&a_[first], last - first);
    skua::costs(0.8 * static_cast<double>(last - first));
    ran_in_[first / leaf_] = pool_.seats()[static_cast<skua::worker_id>(skua::worker_index())].domain;
  }

  skua::scheduler pool_;
  std::vector<double, at_same_place<double>> a_, b_, c_;
  std::size_t leaf_;
  std::vector<skua::domain_id> ran_in_;
};

void expect_near_data(const char* machine, std::size_t n, std::size_t leaf, double of_nearest) {
  const auto with = [&](const char* policy) {
    const outcome found = triad(policy, machine, n, leaf).run();
    std::printf("  %s, %s: %.1f us a sweep, %.1f%% in the same domain as before\n", machine, policy, found.us,
                100 * found.same);
    return found;
  };
  const outcome spread = with("bitier(spread)"), tiers = with("bitier"), nearest = with("nearest");
  EXPECT_GT(spread.same, 0.95);
  EXPECT_LT(spread.us, tiers.us);
  EXPECT_LT(spread.us, of_nearest * nearest.us);
}

TEST(spread_regions, keep_their_data_near_on_four_domains) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  expect_near_data("opteron-8380-4s", std::size_t{1} << 19, 2048, 1.0);
}

TEST(spread_regions, keep_their_data_near_on_two_domains_of_56_workers) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  expect_near_data("xeon-8480plus-2s", std::size_t{1} << 21, 4096, 1.1);
}

}  // namespace
}  // namespace spread_regions_test
