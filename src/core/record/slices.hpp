// What a trace draws for a stack: calls, tasks and trace spans, one inside the other. They end where the stack is left and
// begin again where it continues, so that they are nested on every worker's line.
//
// Without keep_trace each costs one test of a pointer of the worker.
#pragma once

#include <skua/trace_span.hpp>

#include "core/worker.hpp"
#include "observe/trace_log.hpp"

namespace skua::core {

/// From here on `slice` is drawn around what this stack does.
void open_slice(stack& self, detail::open_slice& slice, observe::trace_kind kind,
                std::uint64_t name) noexcept;
void close_slice(detail::open_slice& slice) noexcept;
/// It ended at this time, after the last event of its worker.
void close_slice(detail::open_slice& slice, std::uint64_t at) noexcept;

/// The stack is left, and continues, perhaps on another worker.
void interrupt_slices(const stack& self) noexcept;
void resume_slices(const stack& self) noexcept;

/// A slice, while this lives.
class traced {
 public:
  traced(stack& self, observe::trace_kind kind, const void* code = nullptr) noexcept {
    if (self.worker->observer.events) [[unlikely]]
      open_slice(self, slice_, kind, reinterpret_cast<std::uint64_t>(code));
  }
  ~traced() {
    if (slice_.of) [[unlikely]]
      close_slice(slice_);
  }
  traced(const traced&) = delete;
  traced& operator=(const traced&) = delete;

 private:
  detail::open_slice slice_;
};

/// Tasks that a stack runs directly one after the other. One event with one reading of the clock ends a task and begins the
/// next: two of each would cost a twentieth of a task of a microsecond.
class traced_row {
 public:
  explicit traced_row(stack& self) noexcept : self_(self) {}
  ~traced_row() { end(); }
  traced_row(const traced_row&) = delete;
  traced_row& operator=(const traced_row&) = delete;

  void begin_next(const void* code) noexcept;
  void end() noexcept {
    if (slice_.of) close_slice(slice_);
    slice_.of = nullptr;
  }

 private:
  stack& self_;
  detail::open_slice slice_;
};

}  // namespace skua::core
