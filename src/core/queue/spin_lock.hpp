// A lock for what is rare and short; for std::lock_guard.
#pragma once

#include <atomic>

#include "core/platform/platform.hpp"

namespace skua::core {

class spin_lock {
 public:
  void lock() noexcept {
    // acquire: partner of unlock(); what the last holder wrote.
    while (held_.exchange(1, std::memory_order_acquire)) host_platform::relax();
  }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }  // partner: lock()

 private:
  shared<int> held_{0};
};

}  // namespace skua::core
