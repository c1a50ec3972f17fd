// What the code of a virtual thread costs. The core says what the code is: library code that is charged in another way than
// usual, data that a leaf declares (cost_model), or the program's own code, which is measured (strand_clock).
// src/simulator implements both; nothing happens for a real thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include <skua/declare.hpp>
#include <skua/detail/atomics.hpp>
#include <skua/detail/strand.hpp>
#include <skua/detail/task.hpp>
#include <skua/detail/task_context.hpp>

namespace skua::core {

/// What a declaration (skua/declare.hpp) says about the data of a leaf.
struct declared_range {
  detail::declared how;
  const void* first;
  std::size_t bytes, rows, pitch;
};

/// How the calling virtual thread is charged while a scoped_charge lives.
enum class charge : std::uint8_t {
  /// A policy looks at other workers. Free with simulation::free_looks.
  policy_look,
  /// Many words are read, and often. No other thread runs meanwhile, and the sum is charged at the end: otherwise each read
  /// would be an event.
  scan,
  /// A thief looks at one victim. Where workers run ahead of each other anyway, as a scan until it writes.
  probe,
  /// The thread makes what a real machine would have from the start. Free, and the new words are in no cache.
  setup,
  /// A fork above the boundary level of a region. Charged as usual, and counted apart.
  above_boundary,
};

class cost_model {
 public:
  virtual void set_charge(charge kind, bool begins) noexcept = 0;
  virtual void declare(const declared_range& range) noexcept = 0;
  virtual void declare_cycles(double cycles) noexcept = 0;

 protected:
  ~cost_model() = default;
};

/// The model of the calling thread, which is a virtual one.
cost_model& cost_model_here() noexcept;

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
      cost_model_here().set_charge(Kind, begins);
  }
};

/// Tells the machine of the calling thread what a leaf touches. Does nothing for a real thread.
inline void declare_to_machine(const declared_range& range) noexcept {
  if (detail::time_is_virtual) [[unlikely]]
    cost_model_here().declare(range);
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
  virtual std::uint64_t next_root() noexcept = 0;

  // The names of records in queues. An entry stays when its record is gone.
  std::unordered_map<const void*, named_task> named_tasks;
  std::unordered_map<const void*, std::uint64_t> named_children;

 protected:
  ~strand_clock() = default;
};

/// Null for a real thread, and where strands are not measured.
strand_clock* strand_clock_here() noexcept;

}  // namespace skua::core
