// Signal handlers that interrupt skua at any point, on each of its threads, and change errno.
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/full_form.hpp"
#include "tests/support/sanitizers.hpp"

namespace signals_test {
namespace {

std::atomic<long> handled{0};
extern "C" void changes_errno(int) {
  handled.fetch_add(1, std::memory_order_relaxed);
  const int before = errno;
  errno = ENOENT;
  // ThreadSanitizer reports a handler that changes errno.
  if constexpr (under_thread_sanitizer) errno = before;
}

/// During its lifetime all other threads of the process get a signal every 200 microseconds.
class storm {
 public:
  explicit storm(int flags) {
    // Afterwards the process ignores the signal, because one may still be pending.
    struct sigaction action{};
    action.sa_handler = &changes_errno;
    action.sa_flags = flags;
    sigaction(SIGURG, &action, &before_);
    sender_ = std::thread([this] {
      const long self = syscall(SYS_gettid);
      while (!over_) {
        for (const long thread : threads())
          if (thread != self) syscall(SYS_tgkill, getpid(), thread, SIGURG);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  ~storm() {
    over_ = true;
    sender_.join();
    sigaction(SIGURG, &before_, nullptr);
  }
  storm(const storm&) = delete;
  storm& operator=(const storm&) = delete;

 private:
  static std::vector<long> threads() {
    std::vector<long> all;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", gone))
      all.push_back(std::atol(entry.path().filename().c_str()));
    return all;
  }
  struct sigaction before_{};
  std::atomic<bool> over_{false};
  std::thread sender_;
};

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

void expect_everything_works() {
  EXPECT_EQ(fib(18), 2584);
  EXPECT_EQ(skua::parallel_reduce(0, 100000, 0L, [](int i) { return long{i}; }, std::plus<>{}), 4999950000L);
  std::atomic<int> ran{0};
  skua::task_group tasks;
  for (int i = 0; i < 200; ++i) tasks.run([&] { ran += static_cast<int>(fib(6)); });
  tasks.wait();
  EXPECT_EQ(ran, 1600);
  skua::mutex mutex;
  int counted = 0;
  skua::parallel_for(0, 60, [&](int) {  // the tasks suspend
    const std::lock_guard lock(mutex);
    const int before = counted;
    skua::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(20)); });
    counted = before + 1;
  });
  EXPECT_EQ(counted, 60);
  skua::phase<long> numbers;
  numbers.enqueue_range(0, 1000);
  EXPECT_EQ(numbers.run([](long i, long& part) { part += i; }, 0L, std::plus<>{}), 499500);
  EXPECT_THROW(skua::join([] { throw 1; }, [] { fib(5); }), int);
}

TEST(signals, may_interrupt_skua_anywhere) {
  for (const int flags : {SA_RESTART, SA_ONSTACK})
    for (const std::string& policy : policies_or({"nearest", "managers"}))
      for (const int workers : workers_or({1, 3})) {
        SCOPED_TRACE(policy + ", " + std::to_string(workers) + " workers");
        const storm over_all(flags);
        for (int round = 0; round < 3; ++round) {
          skua::scheduler pool({.workers = workers, .policy = policy});
          pool.run(&expect_everything_works);
          std::thread other([&] { EXPECT_EQ(pool.run([] { return fib(12); }), 144); });
          EXPECT_EQ(pool.run([] { return fib(12); }), 144);
          other.join();
        }
      }
  EXPECT_GT(handled, 0);
}

}  // namespace
}  // namespace signals_test
