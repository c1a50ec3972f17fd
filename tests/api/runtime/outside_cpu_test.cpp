// A thread that has waited for a worker moves to the CPU of that worker, which would be idle otherwise.
#include <skua/scheduler.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/support/until.hpp"

namespace outside_cpu_test {

// The CPU to which a call of the library has bound its thread last, and how often that was one CPU alone.
thread_local int moves_here = 0;
thread_local int moved_to = -1;

namespace {

std::vector<std::uint32_t> allowed_cpus() {
  cpu_set_t allowed;
  std::vector<std::uint32_t> cpus;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  return cpus;
}

void stay_on(std::uint32_t cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

TEST(outside_cpu, a_thread_that_waited_moves_to_the_cpu_of_its_worker) {
  const std::vector<std::uint32_t> cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "one CPU";
  const std::uint32_t of_worker = cpus[0], other = cpus[1];
  skua::scheduler pool({.cpus = {of_worker}});
  ASSERT_EQ(pool.seats()[0].cpu, of_worker);

  std::atomic<bool> ends{false};
  std::jthread busy([&] {  // so that the kernel wakes the thread below on the other CPU
    stay_on(of_worker);
    until([&] { return ends.load(); }, "the end of the test", no_pause);
  });
  std::jthread holder([&] {
    stay_on(other);
    while (!ends) {
      pool.run([] { sleep_ms(2); });
      sleep_ms(1);
    }
  });
  std::jthread waits([&] {
    const std::vector<std::uint32_t> before = allowed_cpus();
    EXPECT_TRUE(within(std::chrono::seconds(60), [&] {
      pool.run([] {});
      return moves_here > 0;
    }));
    EXPECT_EQ(moved_to, static_cast<int>(of_worker));
    EXPECT_EQ(allowed_cpus(), before);
    ends = true;
  });
}

TEST(outside_cpu, without_binding_no_thread_is_moved) {
  skua::scheduler pool({.workers = 1, .bind = false});
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call) pool.run([] { std::this_thread::yield(); });
      EXPECT_EQ(moves_here, 0);
    });
}

}  // namespace
}  // namespace outside_cpu_test

// In place of the C library's: notes what it is asked for, and does it.
extern "C" int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* cpus) noexcept {
  if (thread == 0 && CPU_COUNT_S(bytes, cpus) == 1)
    for (int cpu = 0; cpu < static_cast<int>(8 * bytes); ++cpu)
      if (CPU_ISSET_S(cpu, bytes, cpus)) {
        ++outside_cpu_test::moves_here;
        outside_cpu_test::moved_to = cpu;
      }
  return static_cast<int>(syscall(SYS_sched_setaffinity, thread, bytes, cpus));
}
