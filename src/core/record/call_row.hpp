// Calls of an external thread that keeps its worker between them (external/kept_worker.hpp). Such a call may take 20 ns, so
// calls that follow each other closely are recorded as one: a *row*. A call of a row costs two readings of the clock.
//
// A row ends when the thread has been away for longer than a few calls take, which the next call finds out, or when the
// thread has left the worker; it is then recorded as if it had ended when its last call did. It also ends after a call
// if it has become long, so that a report that is read meanwhile lacks little.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/platform/process_fork.hpp"
#include "core/record/slices.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

class scheduler_core;

/// Of one stack. Called by the thread that holds the stack's worker.
class call_row {
 public:
  explicit call_row(stack& of) noexcept : of_(of) {}

  /// A call has ended, and from now on the thread keeps its worker between its calls.
  void thread_keeps() noexcept;
  /// `from` as in detail::call_outside.
  void call_begins(const void* from) noexcept;
  void call_ends() noexcept;
  bool is_in_call() const noexcept { return in_call_; }
  /// The thread keeps its worker no longer, in a call or between two. False if it did not keep it.
  bool thread_leaves() noexcept;

 private:
  void begin(std::uint64_t now, const void* from) noexcept;
  void end(std::uint64_t at) noexcept;
  void leave_at(std::uint64_t at) noexcept;

  stack& of_;
  bool kept_ = false;
  bool open_ = false;
  bool in_call_ = false;
  std::uint64_t began_ = 0, left_ = 0;  // ticks: the row, and the end of its last call
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
inline void kept_call_begins(stack& self, const void* from) noexcept {
  if (self.row) [[unlikely]]
    self.row->call_begins(from);
}
/// For any call of an external thread: the call ends.
inline void kept_call_ends(const stack& self) noexcept {
  if (self.row && self.row->is_in_call()) [[unlikely]]
    self.row->call_ends();
}

/// The same, while this lives.
class observed_kept_call {
 public:
  observed_kept_call(stack& self, const void* from) noexcept : self_(self) { kept_call_begins(self, from); }
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
