// Schedulers under limits of memory and threads. This suite has a process of its own, because its cases fork children that
// get the limits.
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

/// Returns the exit code: the number of workers that compute, or the reason why there are none.
int compute(int asked = wanted) {
  try {
    skua::scheduler pool({.workers = asked});
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

/// Expects one of the ways in which a scheduler with too few resources may end, and the message that belongs to it.
void expect_fits(const child_result& ended, const std::string& limit, int asked = wanted) {
  ASSERT_EQ(ended.signal, 0) << limit << ": " << ended.errors;
  if (ended.exit_code == refused)
    return expect_says(ended.errors,
                       "none of " + std::to_string(asked) + " workers could be started: ", limit);
  if (ended.exit_code == no_memory) return;
  ASSERT_TRUE(ended.exit_code >= 1 && ended.exit_code <= asked) << limit << ": " << ended.exit_code;
  if (ended.exit_code == asked)
    EXPECT_EQ(ended.errors, "");
  else
    expect_says(ended.errors,
                std::to_string(ended.exit_code) + " of " + std::to_string(asked) +
                    " workers run, since no more could be started: ",
                limit);
}

/// Runs compute() in a child that may use `more_bytes` more bytes of addresses than this process uses.
child_result compute_with(std::size_t more_bytes, int asked = wanted) {
  const std::size_t bytes = bytes_of_addresses() + more_bytes;
  const child_result ended = in_child([&] { return limit(RLIMIT_AS, bytes) ? compute(asked) : not_here; });
  if (ended.exit_code != not_here)
    expect_fits(ended, "ulimit -v is " + std::to_string(bytes / 1024) + " kB", asked);
  return ended;
}

TEST(few_resources, too_few_addresses_start_fewer_workers_and_print_one_line) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  skua::topology::host();  // loads it now, so that the children need no memory for it
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

// A failed attempt with too many workers must leave enough memory to start fewer workers.
TEST(few_resources, asking_for_more_workers_starts_no_fewer) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  skua::topology::host();
  bool some = false;
  for (std::size_t megabytes = 4; megabytes <= 60; megabytes += 4) {
    const auto workers = [](std::size_t bytes, int asked) {
      const int code = compute_with(bytes, asked).exit_code;
      return code < no_memory ? code : code == not_here ? -1 : 0;
    };
    // With a MiB less, because malloc keeps a part of the memory of failed attempts (start/fewer_workers.hpp).
    const int few = workers((megabytes - 1) << 20, wanted);
    if (few < 0) GTEST_SKIP() << "the system sets no limit";
    some |= few > 0;
    for (int asked : {64, 512})
      EXPECT_GE(workers(megabytes << 20, asked), few) << megabytes << " MiB, " << asked << " asked";
  }
  EXPECT_TRUE(some);
}

// The new thread must not need memory, because it cannot report that there is none. Stacks are this small
// so that some of the limits in the loop leave room for the stack of a thread only.
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

TEST(few_resources, too_few_threads_start_fewer_workers_and_print_one_line) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer needs a thread of its own";
  // The kernel counts the threads of each user, and it does not limit root.
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
