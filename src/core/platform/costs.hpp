// What the code of a virtual thread costs. The core says what the code is: library code that is charged in another way than
// usual, data that a leaf declares (both virtual_threads), or the program's own code, which is measured (strand_clock).
// Nothing happens for a real thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include <skua/declare.hpp>
#include <skua/detail/atomics.hpp>
#include <skua/detail/strand.hpp>
#include <skua/detail/task.hpp>
#include <skua/detail/task_context.hpp>

#include "core/platform/virtual_threads.hpp"

namespace skua::core {

/// Charges the calling thread in that way while this lives. Does nothing for a real thread.
template <charge Kind>
class scoped_charge {
 public:
  scoped_charge() noexcept { begin(); }
  ~scoped_charge() { end(); }
  scoped_charge(const scoped_charge&) = delete;
  scoped_charge& operator=(const scoped_charge&) = delete;

  /// For a block with gaps.
  static void begin() noexcept { set(true); }
  static void end() noexcept { set(false); }

 private:
  static void set(bool begins) noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      virtual_threads_here().set_charge(Kind, begins);
  }
};

/// Tells the machine of the calling thread what a leaf touches. Does nothing for a real thread.
inline void declare_to_machine(const declared_range& range) noexcept {
  if (detail::time_is_virtual) [[unlikely]]
    virtual_threads_here().declare(range);
}

/// A group task and the strand that runs it.
struct named_task {
  std::uint64_t name;
  void (*run)(detail::task&, task_context*);
};

/// Measures the time that the program's own code takes, in strands (skua/detail/strand.hpp).
class strand_clock {
 public:
  /// From now on the time is the program's, in the strand that runs.
  virtual void strand_runs() noexcept = 0;
  /// Charges what the strand has computed until now. `last`: the step of the strand ends.
  virtual void strand_stops(detail::strand& here, bool last) noexcept = 0;
  /// The strand of a virtual thread that is not on a scheduler's stack.
  virtual detail::strand& own_strand() noexcept = 0;

  /// The name of the next call from outside.
  std::uint64_t next_root() noexcept { return detail::strand::mix(++roots_); }

  // The names of records in queues. An entry stays when its record is gone.
  std::unordered_map<const void*, named_task> named_tasks;
  std::unordered_map<const void*, std::uint64_t> named_children;

 protected:
  ~strand_clock() = default;

 private:
  std::uint64_t roots_ = 0;
};

/// Null for a real thread, and where strands are not measured.
strand_clock* strand_clock_here() noexcept;

}  // namespace skua::core
