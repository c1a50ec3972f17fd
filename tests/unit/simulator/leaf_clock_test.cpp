// The time of a leaf is the time in which its own thread computes and sleeps, whatever else runs on the machine.
#include "simulator/engine/leaf_times.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/bind_thread.hpp"
#include "core/platform/platform.hpp"
#include "tests/support/until.hpp"

namespace leaf_clock_test {
namespace {

using skua::core::host_platform;

std::int64_t computed_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void compute(std::int64_t ns) {
  for (const std::int64_t until = computed_ns() + ns; computed_ns() < until;) {
  }
}

/// Another thread that computes all the time on the core of this thread.
class rival {
 public:
  rival() : core_(static_cast<std::uint32_t>(sched_getcpu())) {
    sched_getaffinity(0, sizeof before_, &before_);
    bound = skua::base::bind_this_thread(core_) && host_platform::kept_waiting_ns() >= 0;
    thread_ = std::thread([this] {
      skua::base::bind_this_thread(core_);
      for (runs_ = true; !ends_;) {
      }
    });
    while (!runs_) std::this_thread::yield();
  }
  ~rival() {
    ends_ = true;
    thread_.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }
  rival(const rival&) = delete;
  rival& operator=(const rival&) = delete;
  bool bound = false;

 private:
  const std::uint32_t core_;
  cpu_set_t before_;
  std::atomic<bool> runs_ = false, ends_ = false;
  std::thread thread_;
};

constexpr std::int64_t ms = 1'000'000;

// Takes the minimum of several attempts, because a hypervisor may stop the machine and no clock shows this. If this happens
// often, there are more attempts.
TEST(leaf_clock, leaves_out_the_time_of_other_threads_on_the_core) {
  const rival other;
  if (!other.bound) GTEST_SKIP() << "the kernel does not bind threads or does not count their waiting";
  skua::simulator::leaf_clock clock;
  std::int64_t longest = 0, min = 1'000 * ms;
  const patience left;
  for (int i = 0; i < 10 || (left && (longest <= 30 * ms || min >= 22 * ms)); ++i) {
    clock.start();
    const std::int64_t from = host_platform::real_now_ns();
    compute(20 * ms);
    longest = std::max(longest, host_platform::real_now_ns() - from);
    const auto took = static_cast<std::int64_t>(clock.stop());
    EXPECT_GE(took, 19 * ms);
    min = std::min(min, took);
  }
  EXPECT_GT(longest, 30 * ms) << "the other thread did not run";
  EXPECT_LT(min, 22 * ms);
}

TEST(leaf_clock, does_not_count_waits_of_the_simulator_as_time_of_a_leaf) {
  const rival other;
  if (!other.bound) GTEST_SKIP() << "the kernel does not bind threads or does not count their waiting";
  skua::simulator::leaf_clock clock;
  clock.start();
  clock.stop();
  compute(40 * ms);  // time of the simulator
  clock.start();
  compute(ms / 4);
  const auto took = static_cast<std::int64_t>(clock.stop());
  EXPECT_GE(took, ms / 5);
}

TEST(leaf_clock, counts_sleeping) {
  skua::simulator::leaf_clock clock;
  clock.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(clock.stop(), 19 * static_cast<std::uint64_t>(ms));
}

// Takes the median, because an interrupted leaf has computed for less than 2000 ns when its time is over.
TEST(leaf_clock, measures_short_leaves) {
  skua::simulator::leaf_clock clock;
  std::vector<std::uint64_t> took;
  for (int i = 0; i < 1000; ++i) {
    clock.start();
    const std::int64_t until = host_platform::real_now_ns() + 2000;
    while (host_platform::real_now_ns() < until) {
    }
    took.push_back(clock.stop());
  }
  std::ranges::nth_element(took, took.begin() + 500);
  EXPECT_GE(took[500], 1900u);
  EXPECT_LT(took[500], 4000u);
}

// ---- the kernel gives the CPU away while the waits are read

void spin(std::int64_t ns) {
  for (const std::int64_t until = host_platform::real_now_ns() + ns; host_platform::real_now_ns() < until;) {
  }
}

std::int64_t waited_until_now = 0;
int waits_before_reading = 0, waits_after_reading = 0;

constexpr std::int64_t planned_wait = ms / 2;

/// Waits, if that is planned, at the begin or at the end of the system call.
std::int64_t waits_that_are_planned() noexcept {
  const auto wait = [](int& planned) {
    if (planned == 0) return;
    --planned;
    spin(planned_wait);
    waited_until_now += planned_wait;
  };
  wait(waits_before_reading);
  const std::int64_t read = waited_until_now;
  wait(waits_after_reading);
  return read;
}

// A real wait in spin(), of which the planned waits know nothing, makes a leaf longer and never shorter. So of several
// attempts, each has an upper bound only if it is the shortest.
TEST(leaf_clock, knows_whether_a_wait_was_before_the_leaf_in_it_or_after_it) {
  struct plan {
    int before_start, after_start, before_stop, after_stop;
  };
  for (const plan one : {plan{0, 0, 0, 0}, plan{1, 0, 0, 0}, plan{0, 1, 0, 0}, plan{0, 0, 1, 0},
                         plan{0, 0, 0, 1}, plan{1, 1, 1, 1}}) {
    SCOPED_TRACE(testing::Message() << one.before_start << one.after_start << one.before_stop
                                    << one.after_stop);
    constexpr std::int64_t leaf = ms / 5;
    std::int64_t shortest = 1'000 * ms, shortest_next = 1'000 * ms;
    for (int i = 0; i < 10; ++i) {
      skua::simulator::leaf_clock clock(waits_that_are_planned);
      waits_before_reading = one.before_start, waits_after_reading = one.after_start;
      clock.start();
      spin(leaf);
      waited_until_now += leaf / 2;  // for half of the leaf, the thread has waited
      waits_before_reading = one.before_stop, waits_after_reading = one.after_stop;
      shortest = std::min(shortest, static_cast<std::int64_t>(clock.stop()));

      clock.start();  // nor is a wait of this leaf one of the next
      spin(leaf);
      shortest_next = std::min(shortest_next, static_cast<std::int64_t>(clock.stop()));
    }
    EXPECT_GE(shortest, leaf * 4 / 10);
    EXPECT_LT(shortest, leaf * 6 / 10);
    EXPECT_GE(shortest_next, leaf * 9 / 10);
  }
}

/// The number of reads of files by this process, or -1 if the kernel does not count them.
std::int64_t reads_of_files() {
  std::ifstream io("/proc/self/io");
  for (std::string word; io >> word;)
    if (word == "syscr:") {
      std::int64_t reads = -1;
      return io >> reads ? reads : -1;
    }
  return -1;
}

// Many leaves are shorter than the reading of a file. Only a gap in which the thread may have waited causes one.
TEST(leaf_clock, reads_no_file_at_each_begin) {
  if (reads_of_files() < 0) GTEST_SKIP() << "the kernel does not count reads of files";
  skua::simulator::leaf_clock clock;
  clock.start();
  clock.stop();
  constexpr int begins = 20'000;
  const std::int64_t before = reads_of_files();
  for (int i = 0; i < begins; ++i) clock.start();
  EXPECT_LT(reads_of_files() - before, begins / 10);
}

}  // namespace
}  // namespace leaf_clock_test
