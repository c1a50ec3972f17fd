// Where in a program a task is, by what the program does and not by who runs it: so that what was measured in one run is
// found again in another, on another machine, by another policy. Used on simulated machines that measure, and nowhere else.
//
// Paper: pedigrees of Leiserson, Schardl and Sukha, "Deterministic parallel random-number generation for
// dynamic-multithreading platforms" (PPoPP 2012).
#pragma once

#include <cstdint>

#include <skua/detail/atomics.hpp>
#include <skua/detail/export.hpp>

namespace skua::detail {

/// What may begin at a step of a task.
enum class beginning : std::uint8_t { first_child = 1, second_child, loop, group_task, blocking_call };

struct strand {
  std::uint64_t task = 0;                        // by a hash of where it began
  std::uint32_t step = 0;                        // tasks and loops that it has begun
  std::uint32_t part = 0;                        // how often it has left this step for the core
  bool runs = false;                             // the program does now, not the core
  std::uint64_t loop = 0, first = 0, count = 0;  // of a piece of a loop: its positions

  /// The name of what begins here.
  std::uint64_t name_of(beginning what) const noexcept {
    return mix(mix(mix(task) + step) + static_cast<std::uint64_t>(what));
  }
  /// A piece of a loop that has only computed.
  bool only_positions() const noexcept { return count != 0 && step == 0 && part == 0; }
  /// Of splitmix64.
  static std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }
};

/// Whether the calling thread is a virtual one of a machine that measures.
SKUA_API bool measures() noexcept;

/// The name of what the program is about to begin here; 0: nobody measures.
SKUA_API std::uint64_t name_of_next(beginning what) noexcept;

/// The program runs a strand of its own in this block. Nothing in real time, as what follows.
class strand_here {
 public:
  explicit strand_here(std::uint64_t name) noexcept {
    if (time_is_virtual) [[unlikely]]
      begin({.task = name});
  }
  /// What begins at this step of the strand around it.
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
  strand* strand_ = nullptr;  // null: nobody measures
  strand around_;
};

/// The core does something in this block, for which the program has called it.
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
  strand* strand_ = nullptr;  // null: nobody measures
};

/// The same where the program begins something: from now on it is a step further.
class strand_steps : public strand_pauses {
 public:
  strand_steps() noexcept : strand_pauses(true) {}
};

}  // namespace skua::detail
