// The watchdog names on stderr a simulated worker that waits for another one outside of skua. Here an outside thread ends
// the wait.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <regex>
#include <skua/skua.hpp>
#include <sstream>
#include <string>
#include <thread>

namespace watchdog_test {
namespace {

using namespace std::chrono_literals;

/// Captures what is written to stderr during its lifetime. The text can be read at any time.
class written_to_stderr {
 public:
  written_to_stderr() : name_(testing::TempDir() + "stderr" + std::to_string(getpid())), before_(dup(2)) {
    const int file = open(name_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
    dup2(file, 2);
    close(file);
  }
  ~written_to_stderr() {
    dup2(before_, 2);
    close(before_);
    unlink(name_.c_str());
  }
  written_to_stderr(const written_to_stderr&) = delete;
  written_to_stderr& operator=(const written_to_stderr&) = delete;
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(name_).rdbuf();
    return all.str();
  }

 private:
  const std::string name_;
  const int before_;
};

/// Runs a task that waits beside a task that does nothing. `freed` ends the wait after the watchdog has written something,
/// or after `max`.
std::string said_about(double watchdog_s, const std::function<void()>& waits,
                       const std::function<void()>& freed, std::chrono::milliseconds max = 60s) {
  const written_to_stderr said;
  std::thread outside([&] {
    const auto end = std::chrono::steady_clock::now() + max;
    while (said.text().empty() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(20ms);
    std::this_thread::sleep_for(300ms);  // a second line must not come in this time
    freed();
  });
  skua::scheduler pool(
      {.simulate = skua::simulation{.machine = "opteron-8380-4s", .watchdog_s = watchdog_s}});
  pool.run([&] { skua::join([] { skua::costs(100); }, waits); });
  outside.join();
  return said.text();
}

TEST(watchdog, names_a_worker_that_spins) {
  std::atomic<bool> free{false};
  const std::string said = said_about(
      0.2,
      [&] {
        while (!free) {
        }
      },
      [&] { free = true; });
  EXPECT_TRUE(std::regex_match(
      said,
      std::regex("skua: simulated opteron-8380-4s: worker [0-9]+ on CPU [0-9]+ has not entered skua for "
                 "0.2 s and computes; [^\n]*skua::mutex[^\n]*\n")))
      << said;
}

TEST(watchdog, names_a_worker_that_sleeps) {
  std::mutex mutex;
  std::condition_variable changed;
  bool free = false;
  const std::string said = said_about(
      0.2,
      [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return free; });
      },
      [&] {
        const std::lock_guard lock(mutex);
        free = true;
        changed.notify_all();
      });
  EXPECT_TRUE(std::regex_match(
      said,
      std::regex("skua: simulated opteron-8380-4s: worker [0-9]+ on CPU [0-9]+ has not entered skua for "
                 "0.2 s and sleeps in the kernel; [^\n]*skua::mutex[^\n]*\n")))
      << said;
}

TEST(watchdog, is_silent_while_the_machine_goes_on) {
  std::atomic<bool> free{false};
  EXPECT_EQ(said_about(
                0.2,
                [&] {
                  while (!free) skua::costs(100);
                },
                [&] { free = true; }, 1s),
            "");
}

TEST(watchdog, may_be_off) {
  std::atomic<bool> free{false};
  EXPECT_EQ(said_about(
                0,
                [&] {
                  while (!free) {
                  }
                },
                [&] { free = true; }, 1s),
            "");
}

}  // namespace
}  // namespace watchdog_test
