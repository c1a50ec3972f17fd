// The counters of each thread of a process: how many files they use, and what happens to them in child processes.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/platform/platform.hpp"
#include "core/platform/resource_limits.hpp"

namespace skua::core::own_counters_test {
namespace {

template <class F>
int end_of_child(F program) {
  const pid_t child = fork();
  if (child == 0) _exit(program());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> open_files() {
  std::vector<std::string> all;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    all.push_back(std::filesystem::read_symlink(one.path(), closed).string());
  }
  return all;
}
std::size_t open_files_like(const std::string& words) {
  std::size_t all = 0;
  for (const std::string& one : open_files()) all += one.find(words) != std::string::npos;
  return all;
}

std::uint64_t counted_now() {
  observe::hardware_reading unused;
  return host_platform::read_hardware(unused);
}

/// Runs that many threads at the same time and returns how many of them have counters.
int counted_of_threads(std::ptrdiff_t threads) {
  std::atomic<int> counted{0};
  std::barrier all(threads);
  std::vector<std::jthread> crew;
  for (std::ptrdiff_t i = 0; i < threads; ++i)
    crew.emplace_back([&] {
      if (counted_now() != 0) ++counted;
      all.arrive_and_wait();
    });
  crew.clear();
  return counted;
}

TEST(own_counters, of_all_threads_use_at_most_a_quarter_of_the_files) {
  const std::size_t events = host_platform::hardware_here(1).events.size();
  if (events == 0) GTEST_SKIP() << host_platform::hardware_here(1).missing;
  if (open_files_like("perf_event") == 0 && counted_now() != 0 && open_files_like("perf_event") == 0)
    GTEST_SKIP() << "this machine's counters need no files";
  const int end = end_of_child([&] {
    constexpr std::size_t files = 160;
    const rlimit limit{files, files};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 100;
    for (int i = 0; i < 2; ++i) {  // threads that have ended make room for others
      const int counted = counted_of_threads(60);
      if (counted < 5 || counted > static_cast<int>(files / 4 / events)) return 1 + counted;
    }
    return 0;
  });
  EXPECT_EQ(end, 0);
}

TEST(own_counters, of_a_child_are_its_own) {
  if (counted_now() == 0) GTEST_SKIP() << host_platform::hardware_here(1).missing;
  observe::hardware_reading reading;
  const std::uint64_t parent = host_platform::read_hardware(reading);
  const std::string event = host_platform::hardware_here(1).events.front();
  const int end = end_of_child([&] {
    observe::hardware_reading before, after;
    const std::uint64_t child = host_platform::read_hardware(before);
    if (child == 0 || child == parent) return 1;
    constexpr std::size_t bytes = 1 << 20, page = 4096;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(memory)[i] = 1;
    if (host_platform::read_hardware(after) != child) return 2;
    return after.values[0] - before.values[0] >= 16 ? 0 : 3;
  });
  EXPECT_EQ(end, 0) << event;
  EXPECT_EQ(counted_now(), parent);
}

TEST(own_counters, of_a_scheduler_are_read_from_a_file_that_children_do_not_share) {
  if (host_platform::kept_waiting_ns() < 0) GTEST_SKIP() << "this kernel does not count";
  EXPECT_EQ(open_files_like("/schedstat"), 1u);
  EXPECT_EQ(end_of_child([] {
              if (open_files_like("/schedstat") != 0) return 1;
              return host_platform::kept_waiting_ns() >= 0 ? 0 : 2;
            }),
            0);
}

TEST(own_counters, of_a_scheduler_need_no_open_file_for_each_thread) {
  if (!host_platform::counts_of_thread(0)) GTEST_SKIP() << "this kernel does not count";
  const int end = end_of_child([] {
    constexpr std::size_t files = 64;
    const rlimit limit{files, files};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 100;
    constexpr int threads = 40;
    std::atomic<int> known{0};
    std::atomic<std::size_t> max{0};
    std::barrier all(threads, [&]() noexcept { max = open_files_like("/schedstat"); });
    std::vector<std::jthread> crew;
    for (int i = 0; i < threads; ++i)
      crew.emplace_back([&] {
        if (host_platform::counts_of_thread(0)) ++known;
        all.arrive_and_wait();
      });
    crew.clear();
    if (max == 0 || max > files / 4) return 101;
    return known == threads ? 0 : known.load();
  });
  EXPECT_EQ(end, 0);
}

TEST(kept_files, are_given_back) {
  const std::size_t max = kept_files::max();
  if (max > 1'000'000) GTEST_SKIP() << "there is no limit";
  EXPECT_FALSE(kept_files::may_keep(max + 1));
  ASSERT_TRUE(kept_files::may_keep(max - 8));
  EXPECT_FALSE(kept_files::may_keep(9));
  EXPECT_TRUE(kept_files::may_keep(0));
  kept_files::closed(max - 8);
}

}  // namespace
}  // namespace skua::core::own_counters_test
