// A stack of execution and the switch between two of them. src/core/platform/context.cpp implements it on Boost.Context
// and is the one place that saves the C++ exception state and tells the sanitizers.
#pragma once

#include <cstddef>

namespace skua::core {

struct context {
  void* position = nullptr;  // where it stopped; null for the running one and for a thread's own stack
  // The C++ runtime's exceptions being handled and in flight (__cxa_eh_globals): without this, a rethrow after a
  // wait rethrows somebody else's exception.
  void* caught = nullptr;
  unsigned uncaught = 0;
  // For the sanitizers.
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;
  void* fiber = nullptr;  // of the stack on which it was left, which may be another one's
  void* own_fiber = nullptr;
};

/// Makes a context that runs entry(data) on the given memory when first switched to. `entry` never returns.
void start_context(context& made, void* memory, std::size_t bytes, void (*entry)());
/// Prepares the context of a thread's own stack, before it first switches away.
void adopt_thread(context& own);
/// Leaves `from`, which is running, for `to`; returns when somebody switches to `from`.
void switch_context(context& from, context& to);
/// Ends the life of a context that will never run again.
void end_context(context& dead);

/// The exception state of this thread taken aside while foreign tasks run on the same stack.
class exceptions_aside {
 public:
  exceptions_aside();
  ~exceptions_aside();
  exceptions_aside(const exceptions_aside&) = delete;
  exceptions_aside& operator=(const exceptions_aside&) = delete;

 private:
  context kept_;
};

}  // namespace skua::core
