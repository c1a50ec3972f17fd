// A real thread that looks after something now and then, such as the watchdog of a simulated machine.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace skua::core {

class timed_thread {
 public:
  /// Calls look() `between` apart, the first time after `between`, until it returns false. Throws std::system_error if there is
  /// no thread.
  timed_thread(std::chrono::duration<double> between, std::function<bool()> look)
      : real_([this, between, look = std::move(look)] { run(between, look); }) {}
  ~timed_thread() { stop(); }
  timed_thread(const timed_thread&) = delete;
  timed_thread& operator=(const timed_thread&) = delete;

  /// Afterwards look() is not called any more.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    if (real_.joinable()) real_.join();
  }

 private:
  void run(std::chrono::duration<double> between, const std::function<bool()>& look) {
    std::unique_lock lock(mutex_);
    bool more = true;
    while (more && !changed_.wait_for(lock, between, [this] { return over_; })) more = look();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread real_;
};

}  // namespace skua::core
