// How long the program's own code takes: measured on the real machine, written into a recording, and read back.
//
// A recording identifies times by what the program did and not by the worker that ran it (skua/detail/strand.hpp). So
// it is valid on every machine, under every policy and with every number of workers. docs/simulation.md has the format.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skua/detail/strand.hpp>

namespace skua::simulator {

/// Writes a recording while the program runs. A child of fork() writes nothing into the recording of its parent.
class recording_writer {
 public:
  /// Throws bad_input if the file cannot be written.
  explicit recording_writer(std::string file);
  ~recording_writer() { finish(); }
  recording_writer(const recording_writer&) = delete;
  recording_writer& operator=(const recording_writer&) = delete;

  /// Writes the time that a strand has computed since it began, or since it last left the core. `last`: its step ends.
  void write(const detail::strand& of, bool last, std::uint64_t ns);
  /// Completes the recording. No write may follow.
  void finish() noexcept;

 private:
  void add(const char* kind, std::initializer_list<std::uint64_t> numbers);
  bool is_ours() const noexcept;

  const std::string name_;
  const std::uint32_t process_;
  std::unique_ptr<std::ofstream> file_;
  std::uint64_t lines_ = 0, sum_ = 0;
};

/// Reads recordings of one program. The shortest time of each part of the program counts: in a single recording, an interrupt
/// has made some parts longer, and a loop on many workers lasts as long as the longest of its parts.
class recording {
 public:
  /// Names of files, separated by commas. Throws bad_input if one of them is not a recording or is damaged.
  explicit recording(const std::string& files);

  /// The time that the strand computes next, in nanoseconds; 0 if it is not known.
  std::uint64_t next(const detail::strand& of, bool last);
  std::uint64_t missing() const noexcept { return missing_; }

 private:
  struct range {
    std::size_t first = 0, end = 0;
  };
  struct piece {
    std::uint64_t first, count, ns;
  };

  struct part_of_loop {
    std::uint64_t positions, ns;  // how many of the wanted positions the recording has
  };
  using loops_of_file = std::unordered_map<std::uint64_t, std::vector<piece>>;
  using time_of_step =
      std::pair<std::uint64_t, std::uint64_t>;  // a hash of task and step, and the time of a part

  class reader;
  void add_steps(std::vector<time_of_step> steps);
  std::uint64_t total(const range& of) const noexcept;
  static part_of_loop find_positions(const loops_of_file& loops, const detail::strand& piece);
  std::uint64_t of_positions(const detail::strand& piece);
  std::uint64_t of_step(const detail::strand& of, bool last);

  std::vector<std::uint64_t> times_;
  std::unordered_map<std::uint64_t, range> steps_;  // only for look-ups, as is the next
  std::vector<loops_of_file> loops_;
  std::uint64_t missing_ = 0;
};

// ---- the clock

/// Measures the time of the program's code between two calls of the scheduler, on the real machine.
///
/// The time is real time without the time in which the thread was ready but another thread had its CPU, because that
/// depends on other programs only. Time in which the program sleeps or reads files counts. Times shorter than
/// `brief_ns`, of leaves and between leaves, are not corrected: the correction reads a file, which takes one to three
/// microseconds, and no thread loses its CPU for such a short time.
class leaf_clock {
 public:
  static constexpr std::int64_t brief_ns = 20'000;
  static constexpr std::int64_t warm_ns = 500;
  /// As host_platform::kept_waiting_ns.
  using waits_of_thread = std::int64_t (*)() noexcept;

  leaf_clock() noexcept;
  explicit leaf_clock(waits_of_thread) noexcept;
  /// The program's code begins to run.
  void start() noexcept;
  /// The same where the simulator may have run for long since the last leaf. Then its code for the leaf's end is in no cache
  /// any more, and would take longer than a short leaf. So this runs it once before the leaf begins.
  void start_warm() noexcept;
  /// The time since start(), in nanoseconds.
  std::uint64_t stop() noexcept;

 private:
  std::int64_t read_waits(std::int64_t now) noexcept;

  const waits_of_thread kept_waiting_;
  std::int64_t started_ns_ = 0;
  std::int64_t reading_ns_;            // the time of reading the clock
  std::int64_t reading_waits_ns_ = 0;  // the shortest time of reading the waits; 0: not known
  std::int64_t waited_ns_ =
      0;  // the waiting time of thread_ until seen_ns_; negative: the kernel does not count it
  std::int64_t seen_ns_ = 0;
  int thread_ = 0;
};

}  // namespace skua::simulator
