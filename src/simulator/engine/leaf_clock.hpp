// How long a program's code takes between two calls of the scheduler, on the machine on which it really runs.
#pragma once

#include <cstdint>

namespace skua::simulator {

/// Real time without that in which the thread could have run and another one did: that says something about who else
/// computes here, and nothing about the program. Time that the program sleeps or reads files counts. What is shorter
/// than `brief_ns` is not asked about, since asking takes half a microsecond; nobody is kept waiting for so short a time.
class leaf_clock {
 public:
  static constexpr std::int64_t brief_ns = 20'000;

  leaf_clock() noexcept;
  /// The program's code runs from now on.
  void start() noexcept;
  /// What it took since then.
  std::uint64_t stop() noexcept;

 private:
  std::int64_t started_ns_ = 0, stopped_ns_ = 0;
  std::int64_t reading_ns_;     // what reading the clock takes
  std::int64_t waited_ns_ = 0;  // of thread_, until the program's code began or later
  int thread_ = 0;
};

}  // namespace skua::simulator
