// Names a part of a task, to be seen in a trace (SKUA_TRACE): on the timeline of the worker that runs it, from the region's
// beginning to its end, around the tasks that it runs itself.
//
//   void step() {
//     skua::region named("assembly");
//     skua::parallel_for(0, n, assemble);
//   }
//
// - Regions nest; they end in the opposite order, in the task in which they began. A task that waits is not drawn meanwhile:
//   its regions go on when it does, perhaps on another worker's line.
// - The name is copied: any text, also a temporary.
// - Cost: one load unless somebody traces; then a lookup of the name under a lock. Nothing throws. Thread-safety: any thread; one
//   that is no worker now draws nothing, as main() outside of scheduler::run().
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <skua/detail/export.hpp>

namespace skua {

class task_context;

namespace detail {

/// What is drawn of a stack from its beginning to its end, around what is inside; lives in the frame that it names.
struct open_slice {
  open_slice* outer = nullptr;
  task_context* of = nullptr;  // the stack; null: nobody traces
  std::uint64_t name = 0;
  std::uint8_t kind = 0;
};

/// Schedulers that trace, in the whole process.
extern SKUA_API constinit std::atomic<int> tracers;
SKUA_API void begin_trace_span(open_slice& slice, std::string_view name) noexcept;
SKUA_API void end_trace_span(open_slice& slice) noexcept;

}  // namespace detail

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
