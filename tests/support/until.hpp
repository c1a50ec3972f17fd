// Waits for another thread in a test, without hanging when that thread never arrives.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

/// A minute, for conditions that depend on chance on a busy machine: `for (patience left; left && !seen;) try_again();`
class patience {
 public:
  explicit operator bool() const { return std::chrono::steady_clock::now() < end_; }

 private:
  const std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

/// Whether condition() becomes true in time; it is checked again and again.
template <class F>
bool within(std::chrono::steady_clock::duration limit, F&& condition) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  while (!condition())
    if (std::chrono::steady_clock::now() > give_up) return false;
  return true;
}

/// Blocks this thread (not only its task) until condition(); aborts with a message after a minute.
template <class F>
void until(F&& condition, const char* what = "another thread") {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) {
      std::fprintf(stderr, "waited a minute for %s\n", what);
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

inline void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
