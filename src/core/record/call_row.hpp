// Calls of an external thread that keeps its worker between them (external/kept_worker.hpp). Such a call may take 20 ns, so
// calls that follow each other closely are recorded as one: a *row*. A call of a row costs two readings of the clock.
//
// Two readings take as long as a small call. So once the calls of one place have been short for a while, one of sixteen is
// measured, and only the number of the others is known (measured_calls). Whether the thread was away since the last measured
// call is then seen at the next one, or at the first call after the worker's own thread has looked (every watch_us).
//
// A row ends when the thread has been away for longer than a few calls take, which the next call finds out, or when the
// thread has left the worker; it is then recorded as if it had ended when its last call did. It also ends after a call
// if it has become long, so that a report that is read meanwhile lacks little.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/platform/process_fork.hpp"
#include "core/record/slices.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

class scheduler_core;

/// Chooses the calls of a row that are measured: of short calls of one place, after the first few, one of `every`.
class measured_calls {
 public:
  static constexpr std::uint32_t every = 16;

  /// A call begins. `place` identifies the code that runs; null: unknown. `looks`: how often the own thread has looked until now.
  /// Unless it is to be measured, the call is counted.
  bool is_to_measure(const void* place, std::uint64_t looks) noexcept {
    if (left_ == 0 || place != place_ || looked_at_since(looks)) return true;
    --left_;
    ++unmeasured_;
    return false;
  }
  bool looked_at_since(std::uint64_t looks) const noexcept { return looks != looks_; }

  /// A measured call has ended. It was short, and so was the time since the last call.
  void was_short(const void* place, std::uint64_t ticks, std::uint64_t looks) noexcept {
    short_calls_ = place == place_ ? short_calls_ + 1 : 1;
    place_ = place;
    ticks_ = ticks;
    looks_ = looks;
    if (wanted_ > every && ++since_uncertain_ >= 4 * wanted_) {
      wanted_ /= every;
      since_uncertain_ = 0;
    }
    left_ = place && short_calls_ >= wanted_ ? every - 1 : 0;
  }
  /// The next calls are measured.
  void was_long() noexcept { short_calls_ = left_ = 0; }
  /// A call was long only because a thief has taken a part of it. The next one is measured.
  void was_stolen_from(std::uint64_t looks) noexcept {
    looks_ = looks;
    left_ = 0;
  }
  /// Some time after the last measured call may belong to a call or lie between two. For a while, many more short calls are
  /// measured before one is not: so calls of which a few are long are measured nearly all, and a rare pause costs little.
  void was_uncertain() noexcept {
    wanted_ = std::min(wanted_ * every, most_wanted);
    since_uncertain_ = 0;
  }
  bool is_next_measured() const noexcept { return left_ == 0; }

  /// Since the last measured call.
  std::uint32_t unmeasured() const noexcept { return unmeasured_; }
  /// How long they took if each took as long as that call.
  std::uint64_t unmeasured_ticks() const noexcept { return unmeasured_ * ticks_; }
  std::uint32_t take_unmeasured() noexcept { return std::exchange(unmeasured_, 0); }

 private:
  const void* place_ = nullptr;
  std::uint64_t looks_ = 0, ticks_ = 0;  // at the last short measured call
  static constexpr std::uint32_t most_wanted = every * every * every * every;
  std::uint32_t short_calls_ = 0, wanted_ = every, since_uncertain_ = 0, left_ = 0, unmeasured_ = 0;
};

inline constexpr char adds_to_group = 0;
/// The place of a call that only adds a task to a group.
inline const void* const adding_to_group = &adds_to_group;

/// Of one stack. Called by the thread that holds the stack's worker.
class call_row {
 public:
  explicit call_row(stack& of) noexcept : of_(of) {}

  /// A call has ended, and from now on the thread keeps its worker between its calls.
  void thread_keeps() noexcept;
  /// `from` as in detail::call_outside; `place` as in measured_calls.
  void call_begins(const void* from, const void* place) noexcept;
  void call_ends() noexcept;
  /// The call waits for a thief. No measured call is needed to see that this time belongs to a call.
  void waits_for_thief() noexcept;
  bool is_in_call() const noexcept { return in_call_; }
  /// The thread keeps its worker no longer, in a call or between two. False if it did not keep it.
  bool thread_leaves() noexcept;

 private:
  void measured_call_begins(const void* from, const void* place, std::uint64_t now) noexcept;
  void measured_call_ends(std::uint64_t now) noexcept;
  void count_unmeasured() noexcept;
  /// How often the own thread has looked at the worker that an external thread keeps.
  std::uint64_t looks() const noexcept;
  bool was_away(std::uint64_t now) const noexcept;
  void begin(std::uint64_t now, const void* from) noexcept;
  void end(std::uint64_t at) noexcept;
  void end_before(std::uint64_t now) noexcept;
  void leave_at(std::uint64_t at) noexcept;

  stack& of_;
  bool kept_ = false;
  bool open_ = false;
  bool in_call_ = false;
  bool measured_ = false;         // the call
  bool waited_ = false;           // for a thief, and the thread was not away since the last measured call
  bool after_short_gap_ = false;  // the measured call
  const void* place_ = nullptr;   // of the last measured call
  std::uint64_t began_ = 0, call_began_ = 0,
                left_ = 0;  // ticks: the row, its last measured call, and the end of that
  measured_calls calls_;
  detail::open_slice slice_;
  std::optional<task_work_span> path_;
};

/// The rows of a scheduler's stacks, made when they are first needed.
class call_rows {
 public:
  call_row* of(stack& self) noexcept;

 private:
  fork_safe_lock guard_;
  std::vector<std::unique_ptr<call_row>> all_;
};

/// A call at a worker that the calling thread keeps.
inline void kept_call_begins(stack& self, const void* from, const void* place) noexcept {
  if (self.row) [[unlikely]]
    self.row->call_begins(from, place);
}
/// For any call of an external thread: the call ends.
inline void kept_call_ends(const stack& self) noexcept {
  if (self.row && self.row->is_in_call()) [[unlikely]]
    self.row->call_ends();
}

/// The same, while this lives.
class observed_kept_call {
 public:
  observed_kept_call(stack& self, const void* from) noexcept : self_(self) {
    kept_call_begins(self, from, from);
  }
  ~observed_kept_call() { kept_call_ends(self_); }
  observed_kept_call(const observed_kept_call&) = delete;
  observed_kept_call& operator=(const observed_kept_call&) = delete;

 private:
  const stack& self_;
};

/// Threads that keep workers and are in no call lose them, so that a reading contains all their calls.
void end_rows(const scheduler_core& pool) noexcept;

/// The thread that has called keeps its worker from now on.
void external_thread_keeps(stack& self) noexcept;

}  // namespace skua::core
