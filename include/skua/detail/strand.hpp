// Names of tasks by their position in the program, independent of the worker that runs them. So a measurement of one
// run can be found again in another run, on another machine, or under another policy. Used only on simulated machines
// that measure.
//
// Paper: pedigrees of Leiserson, Schardl and Sukha, "Deterministic parallel random-number generation for
// dynamic-multithreading platforms" (PPoPP 2012).
#pragma once

#include <cstdint>

#include <skua/detail/atomics.hpp>
#include <skua/detail/export.hpp>

namespace skua::detail {

/// The kinds of strands that may begin at a step of a task.
enum class beginning : std::uint8_t { first_child = 1, second_child, loop, group_task, blocking_call };

struct strand {
  std::uint64_t task = 0;  // a hash of the position where the task began
  std::uint32_t step = 0;  // number of tasks and loops that it has begun
  std::uint32_t part = 0;  // how often it has entered the core in this step
  bool runs = false;       // the program runs now, not the core
  bool divides = false;    // the core divides a loop now: its forks are not the program's
  std::uint64_t loop = 0, first = 0, count = 0;  // positions, if the strand is a piece of a loop

  /// The name of a strand that begins here.
  std::uint64_t name_of(beginning what) const noexcept {
    return mix(mix(mix(task) + step) + static_cast<std::uint64_t>(what));
  }
  /// Whether this is a piece of a loop that has begun no task and has not entered the core.
  bool only_positions() const noexcept { return count != 0 && step == 0 && part == 0; }
  /// The mixing function of splitmix64.
  static std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }
};

/// Whether the calling thread is a virtual thread of a machine that measures.
SKUA_API bool measures() noexcept;

/// The name of the strand that the program is about to begin here; 0 when the machine does not measure.
SKUA_API std::uint64_t name_of_next(beginning what) noexcept;

/// The program runs a strand in this block. This class and the following ones do nothing in real time.
class strand_here {
 public:
  /// Without a name (0) it is a part of the enclosing strand.
  explicit strand_here(std::uint64_t name) noexcept {
    if (time_is_virtual && name != 0) [[unlikely]]
      begin({.task = name});
  }
  /// The strand that begins at this step of the enclosing strand.
  explicit strand_here(beginning what) noexcept {
    if (time_is_virtual) [[unlikely]]
      begin(what);
  }
  /// A piece of a loop.
  strand_here(std::uint64_t name, std::uint64_t first, std::uint64_t count) noexcept {
    if (time_is_virtual) [[unlikely]]
      begin({.task = strand::mix(name + strand::mix(first)), .loop = name, .first = first, .count = count});
  }
  ~strand_here() {
    if (strand_) [[unlikely]]
      end();
  }
  strand_here(const strand_here&) = delete;
  strand_here& operator=(const strand_here&) = delete;

  bool has_only_computed() const noexcept { return !strand_ || (strand_->step == 0 && strand_->part == 0); }

 private:
  SKUA_API void begin(const strand& next) noexcept;
  SKUA_API void begin(beginning what) noexcept;
  SKUA_API void end() noexcept;
  strand* strand_ = nullptr;  // null: no measurement
  strand around_;
};

/// The core runs in this block, on a call of the program.
class strand_pauses {
 public:
  strand_pauses() noexcept : strand_pauses(false) {}
  ~strand_pauses() {
    if (strand_) [[unlikely]]
      end();
  }
  strand_pauses(const strand_pauses&) = delete;
  strand_pauses& operator=(const strand_pauses&) = delete;

 protected:
  explicit strand_pauses(bool next_step) noexcept {
    if (time_is_virtual) [[unlikely]]
      begin(next_step);
  }

 private:
  SKUA_API void begin(bool next_step) noexcept;
  SKUA_API void end() noexcept;
  strand* strand_ = nullptr;  // null: no measurement
};

/// As strand_pauses, when the program begins a task or loop: the strand advances by one step.
class strand_steps : public strand_pauses {
 public:
  strand_steps() noexcept : strand_pauses(true) {}
};

}  // namespace skua::detail
