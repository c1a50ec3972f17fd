// The policy auto stops a rival amid a region, when tasks are bound to domains and lie in their pools. Every task still runs.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

namespace stopped_rival_test {
namespace {

void work(std::chrono::microseconds us) {
  const auto end = std::chrono::steady_clock::now() + us;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The number of leaves, each of which takes so long.
std::uint64_t tree(int depth, std::chrono::microseconds leaf) {
  if (depth == 0) {
    work(leaf);
    return 1;
  }
  const auto [a, b] =
      skua::join([=] { return tree(depth - 1, leaf); }, [=] { return tree(depth - 1, leaf); });
  return a + b;
}

std::atomic<bool> tiers_in_use{false}, default_asked_amid_region{false};

/// The default, and tiers.
class two_candidates : public skua::steal_policy {
 public:
  std::span<const skua::candidate_policy> candidates() const override { return all_; }
  void on_start(const skua::thief& self) override {
    self_ = &self;
    nearest_->on_start(self);
    bitier_->on_start(self);
  }
  skua::stolen acquire(skua::thief& self) override {
    const std::size_t chosen = self.chosen();
    if (chosen == 0 && self.tiered()) default_asked_amid_region = true;
    return (chosen == 0 ? nearest_ : bitier_)->acquire(self);
  }
  bool has_tiers() const override { return self_ && all_[self_->chosen()].policy->has_tiers(); }
  std::uint32_t boundary_level(const skua::thief&, const skua::region_shape&) const override {
    tiers_in_use = true;  // a region begins
    return 3;
  }

 private:
  std::unique_ptr<skua::steal_policy> nearest_ = skua::make_policy("nearest"),
                                      bitier_ = skua::make_policy("bitier(boundary=3)");
  std::array<skua::candidate_policy, 2> all_{{{"nearest", nearest_.get()}, {"bitier", bitier_.get()}}};
  const skua::thief* self_ = nullptr;
};

SKUA_POLICY(two_candidates, "two_candidates", "nearest, and bitier where it seems to be faster");

TEST(stopped_rival, loses_no_task) {
  constexpr int depth = 7, runs = 250;
  skua::scheduler_options options{
      .workers = 4, .policy = "two_candidates", .topology = skua::topology::parse("package:2 core:2 pu:1")};
  options.keep_report = true;
  skua::scheduler pool(options);
  int slow = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t leaves = pool.run([&] {
      std::uint64_t sum = 0;
      tiers_in_use = false;
      skua::shaped({.input_bytes = 1 << 20}, [&] {
        slow += tiers_in_use;
        sum = tree(depth, std::chrono::microseconds(tiers_in_use ? 100 : 2));
      });
      return sum;
    });
    ASSERT_EQ(leaves, 1u << depth) << i;
  }
  ASSERT_GE(slow, 1) << "tiers were tried";
  EXPECT_LE(slow, runs / 4) << "and given up, perhaps several times: other programs disturb the comparison";
  EXPECT_TRUE(default_asked_amid_region);
  EXPECT_NE(pool.report_json().find("\"given_up\": true"), std::string::npos);
}

}  // namespace
}  // namespace stopped_rival_test
