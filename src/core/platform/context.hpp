// A stack of execution, and the switch between two of them. context.cpp uses Boost.Context; it alone saves the C++ exception
// state and informs the sanitizers.
#pragma once

#include <cstddef>

#include "base/for_simulator.hpp"

namespace skua::core {

struct context {
  void* position = nullptr;  // where it stopped; null for the running one and for a thread's own stack
  // The exceptions that are being handled and in flight (__cxa_eh_globals). Without them a rethrow after a wait would rethrow
  // the exception of another task.
  void* caught = nullptr;
  unsigned uncaught = 0;
  // For the sanitizers.
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;
  void* fiber = nullptr;  // of the stack on which it was left, which may belong to another context
  void* own_fiber = nullptr;
};

/// Makes a context that runs entry() on the given memory when it is first switched to. `entry` never returns.
SKUA_FOR_SIMULATOR void start_context(context& made, void* memory, std::size_t bytes, void (*entry)());
/// Prepares the context of a thread's own stack, before it first switches away.
SKUA_FOR_SIMULATOR void adopt_thread(context& own);
/// Leaves `from`, which runs, for `to`. Returns when a thread switches to `from`.
SKUA_FOR_SIMULATOR void switch_context(context& from, context& to);
/// Releases what belongs to a context that will never run again.
SKUA_FOR_SIMULATOR void end_context(context& dead);

/// Whether AddressSanitizer or ThreadSanitizer is in this process: they have signal handlers and signal stacks of their own.
bool sanitizer_is_here() noexcept;

/// Saves the exception state of the calling thread while other tasks run on the same stack.
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
