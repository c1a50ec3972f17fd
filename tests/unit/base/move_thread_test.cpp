#include "base/bind_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace skua::base::move_thread_test {
namespace {

TEST(move_thread, goes_to_the_cpu_and_may_run_where_it_could_before) {
  const cpu_mask before = cpu_mask::of_this_thread();
  ASSERT_GT(before.count(), 0u);
  for (std::uint32_t cpu = 0; cpu < 64; ++cpu) {
    if (!before.contains(cpu)) continue;
    move_this_thread(cpu);
    EXPECT_EQ(cpu_mask::of_this_thread(), before);
  }
}

TEST(move_thread, stays_where_the_program_has_bound_it) {
  std::thread([] {
    const auto here = static_cast<std::uint32_t>(sched_getcpu());
    ASSERT_TRUE(bind_this_thread(here));
    for (std::uint32_t cpu = 0; cpu < 64; ++cpu) {
      move_this_thread(cpu);
      EXPECT_EQ(cpu_mask::of_this_thread(), cpu_mask(here));
    }
    EXPECT_EQ(sched_getcpu(), static_cast<int>(here));
  }).join();
}

}  // namespace
}  // namespace skua::base::move_thread_test
