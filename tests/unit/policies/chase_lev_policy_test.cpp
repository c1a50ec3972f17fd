// chase_lev with a fake thief: it tries the nearest level first and takes half of the tasks of the first victim that has
// any.
#include <skua/steal_policy.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_thief.hpp"

namespace chase_lev_policy_test {
namespace {

using script = std::vector<std::string>;

skua::placement placed(const char* machine, std::size_t workers) {
  return skua::topology::synthetic(machine).place(workers);
}
skua::stolen acquire(fake_thief& thief) { return skua::make_policy("chase_lev")->acquire(thief); }

TEST(policy_chase_lev, wants_a_deque_and_no_other_policy_does) {
  for (const skua::policy_info* info : skua::policies()) {
    const bool baseline = info->name == "chase_lev";
    EXPECT_EQ(skua::make_policy(info->name)->queue() == skua::queue_kind::chase_lev, baseline) << info->name;
  }
}

TEST(policy_chase_lev, tries_the_nearest_level_first_from_a_random_start) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.dice = {0, 1};
  const auto far = thief.at_distance(1);
  EXPECT_FALSE(acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 1", "half 1", "random 2", "half " + std::to_string(far[1]),
                                  "half " + std::to_string(far[0])}));
}

TEST(policy_chase_lev, takes_half_of_the_first_that_has_something) {
  fake_thief thief(0, placed("package:2 core:4 pu:1", 8));
  thief.dice = {2};
  thief.tasks = {{1, 1}, {3, 4}, {5, 9}};
  const skua::stolen task = acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 3u);
  EXPECT_EQ(thief.script, (script{"random 3", "half 3"}));
}

TEST(policy_chase_lev, does_nothing_alone) {
  fake_thief thief(0, placed("core:1 pu:1", 1));
  EXPECT_FALSE(acquire(thief));
  EXPECT_EQ(thief.script, script{});
}

TEST(policy_chase_lev, has_no_options) {
  EXPECT_THROW(skua::make_policy("chase_lev(half)"), skua::bad_input);
}

}  // namespace
}  // namespace chase_lev_policy_test
