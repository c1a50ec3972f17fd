// Measured times in a file, by what the program did and not by who ran it (skua/detail/strand.hpp), so that they serve on
// every machine, under every policy and with every number of workers. docs/simulation.md has the format.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <skua/detail/strand.hpp>

namespace skua::simulator {

/// Writes a recording while the program runs.
class recorder {
 public:
  /// Throws bad_input where the file cannot be written.
  explicit recorder(std::string file);
  ~recorder() { finish(); }
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  /// What a strand has computed since it began to, or left the core; `last`: of its step.
  void write(const detail::strand& of, bool last, std::uint64_t ns);
  /// The recording is whole; nothing may follow.
  void finish() noexcept;

 private:
  void add(const char* kind, std::initializer_list<std::uint64_t> numbers);

  const std::string name_;
  std::ofstream file_;
  std::uint64_t lines_ = 0, sum_ = 0;
};

/// A recording that is read again.
class recording {
 public:
  /// Throws bad_input for a file that is none, or is damaged.
  explicit recording(const std::string& file);

  /// What the strand computes now, in nanoseconds; nothing where it is not known.
  std::uint64_t next(const detail::strand& of, bool last);
  std::uint64_t missing() const noexcept { return missing_; }

 private:
  struct range {
    std::size_t first = 0, end = 0;
  };
  struct piece {
    std::uint64_t first, count, ns;
  };

  class reader;
  std::uint64_t of_positions(const detail::strand& piece);
  std::uint64_t of_step(const detail::strand& of, bool last);

  std::vector<std::uint64_t> times_;
  std::unordered_map<std::uint64_t, range>
      steps_;  // by a hash of task and step; looked into only, as what follows
  std::unordered_map<std::uint64_t, std::vector<piece>> loops_;
  std::uint64_t missing_ = 0;
};

// ---- the clock

// How long a program's code takes between two calls of the scheduler, on the machine on which it really runs.

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
