// A thread that checks whether a simulated machine makes progress. Virtual threads run one at a time, so one that spins or
// sleeps until another one has done something waits for ever. The watchdog prints a message about it, once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/for_simulator.hpp"

namespace skua::core {

/// What every real thread may read about a simulated machine while it runs.
struct vital_signs {
  static constexpr std::uint32_t no_worker = ~std::uint32_t{0};

  std::atomic<std::uint64_t> events{0}, cycles{0};
  std::atomic<std::uint32_t> worker{no_worker}, cpu{0};  // of the virtual thread that runs
  std::atomic<int> real_thread{0};                       // on which it runs; 0: no thread is inside
};

class watchdog {
 public:
  /// `patience_s` is how long a virtual thread may compute, or sleep, without entering skua. 0: for ever.
  SKUA_FOR_SIMULATOR watchdog(const vital_signs& watched, std::string machine, double patience_s);
  SKUA_FOR_SIMULATOR ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// The first call starts the thread.
  SKUA_FOR_SIMULATOR void watch();

 private:
  class thread;
  void leave_behind() noexcept;
  const vital_signs& watched_;
  const std::string machine_;
  const double patience_s_;
  std::unique_ptr<thread> thread_;
};

}  // namespace skua::core
