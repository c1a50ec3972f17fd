// Waits for another thread in a test. The wait ends even if that thread never arrives.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

/// True for a minute. Limits attempts whose success depends on chance on a busy machine:
/// `for (patience left; left && !seen;) try_again();`
class patience {
 public:
  explicit operator bool() const { return std::chrono::steady_clock::now() < end_; }

 private:
  const std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

/// What a thread does between two checks of a condition. Other threads get the CPU of a thread that sleeps.
inline void short_sleep() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }
/// For a thread that must go on at once.
inline void only_yield() { std::this_thread::yield(); }
/// For a condition that itself is the work of a test.
inline void no_pause() {}

/// Checks condition() repeatedly; returns whether it became true within `limit`.
template <class F>
bool within(std::chrono::steady_clock::duration limit, F&& condition, void (*pause)() = short_sleep) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    pause();
  }
  return true;
}

/// Blocks this thread, not only its task, until condition() is true. Aborts with a message after a minute.
template <class F>
void until(F&& condition, const char* what = "another thread", void (*pause)() = short_sleep) {
  if (within(std::chrono::seconds(60), condition, pause)) return;
  std::fprintf(stderr, "waited a minute for %s\n", what);
  std::abort();
}

inline void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
