// A thread of its own that looks whether a simulated machine goes on. Virtual threads run one at a time: one that spins or
// sleeps until another one has done something waits for ever, and the watchdog says so, once. src/core/platform/watchdog.cpp
// implements it.
#pragma once

#include <memory>
#include <string>

#include "core/platform/vital_signs.hpp"

namespace skua::core {

class watchdog {
 public:
  /// `patience_s` is how long a virtual thread may compute, or sleep, without entering skua; 0: for ever.
  watchdog(const vital_signs& watched, std::string machine, double patience_s);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// From the first call on.
  void watch();

 private:
  class thread;
  const vital_signs& watched_;
  const std::string machine_;
  const double patience_s_;
  std::unique_ptr<thread> thread_;
};

}  // namespace skua::core
