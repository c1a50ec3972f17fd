// Names a part of a task in a trace (SKUA_TRACE). The trace shows the span on the timeline of the worker that runs it, from
// its begin to its end. Tasks that the span runs itself are nested in it.
//
//   void step() {
//     skua::trace_span named("assembly");
//     skua::parallel_for(0, n, assemble);
//   }
//
// - Spans may be nested. They must end in reverse order, in the task in which they began. If a program breaks this rule while
//   it records a trace, the process prints a sentence and ends. While a task waits, its spans are not drawn. They continue
//   when the task continues, possibly on another worker's line.
// - Parameter: the name, any text. It is copied, so it may be a temporary.
// - Cost: one load without a trace; with a trace, also a lookup of the name under a lock. Throws: nothing.
// - Thread-safety: any thread. A thread that is not a worker now draws nothing, for instance main() outside of
//   scheduler::run().
// Paper: none.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <skua/detail/export.hpp>

namespace skua {

class task_context;

namespace detail {

/// A slice of a stack's timeline that has not ended. It lies in the stack frame that it names and encloses inner
/// slices.
struct open_slice {
  open_slice* outer = nullptr;
  task_context* of = nullptr;  // the stack; null: no trace
  std::uint64_t name = 0;
  std::uint8_t kind = 0;
};

/// The number of schedulers in the process that record a trace.
extern SKUA_API constinit std::atomic<int> tracers;
SKUA_API void begin_trace_span(open_slice& slice, std::string_view name) noexcept;
SKUA_API void end_trace_span(open_slice& slice) noexcept;

}  // namespace detail

/// A named span of a trace, from construction to destruction. It is neither copied nor moved.
class [[nodiscard]] trace_span {
 public:
  explicit trace_span(std::string_view name) noexcept {
    if (detail::tracers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      detail::begin_trace_span(slice_, name);
  }
  ~trace_span() {
    if (slice_.of) [[unlikely]]
      detail::end_trace_span(slice_);
  }
  trace_span(const trace_span&) = delete;
  trace_span& operator=(const trace_span&) = delete;

 private:
  detail::open_slice slice_;
};

}  // namespace skua
