// Schedulers under limits of memory and threads. In a process of its own: its cases fork children that get the limits.
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/in_child.hpp"
#include "tests/support/sanitizers.hpp"

namespace few_resources_test {
namespace {

constexpr int wanted = 8, wrong = 1, no_memory = 50, refused = 51, not_here = 77;

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

bool limit(decltype(RLIMIT_AS) what, std::size_t to) {
  const rlimit both{to, to};
  return setrlimit(what, &both) == 0;
}

std::size_t bytes_of_addresses() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// The exit code: the number of workers that compute, or why there are none.
int compute() {
  try {
    skua::scheduler pool({.workers = wanted});
    try {
      if (pool.run([] { return fib(15); }) != 610) return wrong + 100;
    } catch (const std::bad_alloc&) {
      return no_memory;
    }
    return static_cast<int>(pool.workers());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return refused;
  }
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void expect_says(const std::string& text, const std::string& begin, const std::string& limit) {
  EXPECT_EQ(lines_of(text), 1u) << text;
  EXPECT_TRUE(text.starts_with("skua: " + begin)) << text;
  EXPECT_NE(text.find(limit), std::string::npos) << text;
}

/// All ways in which a scheduler may end that has less than it wants, and what it says.
void expect_fits(const child_result& ended, const std::string& limit) {
  ASSERT_EQ(ended.signal, 0) << limit << ": " << ended.errors;
  if (ended.exit_code == refused)
    return expect_says(ended.errors, "none of 8 workers could be started: ", limit);
  if (ended.exit_code == no_memory) return;
  ASSERT_TRUE(ended.exit_code >= 1 && ended.exit_code <= wanted) << limit << ": " << ended.exit_code;
  if (ended.exit_code == wanted)
    EXPECT_EQ(ended.errors, "");
  else
    expect_says(
        ended.errors,
        std::to_string(ended.exit_code) + " of 8 workers run, since no more could be started: ", limit);
}

/// A child with so many more bytes of addresses than this process has.
child_result compute_with(std::size_t more_bytes) {
  const std::size_t bytes = bytes_of_addresses() + more_bytes;
  const child_result ended = in_child([&] { return limit(RLIMIT_AS, bytes) ? compute() : not_here; });
  if (ended.exit_code != not_here) expect_fits(ended, "ulimit -v is " + std::to_string(bytes / 1024) + " kB");
  return ended;
}

TEST(few_resources, without_addresses_for_all_workers_fewer_run_and_one_line_says_so) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  skua::topology::host();  // so that the children need no memory for it
  bool fewer = false, none = false, all = false;
  int most = 0;
  for (std::size_t megabytes = 1; megabytes <= 160; megabytes += 3) {
    const int code = compute_with(megabytes << 20).exit_code;
    if (code == not_here) GTEST_SKIP() << "the system sets no limit";
    const int workers = code <= wanted ? code : 0;  // a single worker may leave no memory for a call
    EXPECT_GE(workers, most) << megabytes << " MiB: fewer workers than with less memory";
    most = std::max(most, workers);
    fewer |= code < wanted;
    none |= code == refused;
    all |= code == wanted;
  }
  EXPECT_TRUE(fewer && none && all);
}

// The new thread must not need memory: it cannot say that there is none. With stacks this small, the steps meet the limits
// at which there is room for a thread's stack and for nothing else.
TEST(few_resources, a_thread_that_starts_with_the_last_memory_does_not_end_the_process) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  if (pthread_setattr_default_np(&small) != 0) GTEST_SKIP() << "the size of stacks cannot be chosen";
  skua::topology::host();
  std::size_t enough = 4 << 20;
  while (compute_with(enough).exit_code != wanted) {
    enough += 1 << 20;
    ASSERT_LT(enough, std::size_t{200} << 20);
  }
  for (std::size_t less = 0; less < 3 << 20; less += 16 << 10) compute_with(enough - less);
}

TEST(few_resources, without_threads_for_all_workers_fewer_run_and_one_line_says_so) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer needs a thread of its own";
  // The kernel counts the threads of a user, and does not limit root.
  constexpr uid_t nobody_else = 61234;
  for (int threads = 1; threads <= wanted + 2; ++threads) {
    const child_result ended = in_child([&] {
      return setuid(nobody_else) == 0 && limit(RLIMIT_NPROC, static_cast<std::size_t>(threads)) ? compute()
                                                                                                : not_here;
    });
    if (ended.exit_code == not_here) GTEST_SKIP() << "this user may not become another one";
    expect_fits(ended, "ulimit -u is " + std::to_string(threads));
    EXPECT_EQ(ended.exit_code, threads == 1 ? refused : std::min(threads - 1, wanted));
  }
}

}  // namespace
}  // namespace few_resources_test
