// Stack switches by Boost.Context. This file keeps the exception state and informs the sanitizers itself, since Debian's
// Boost does not link with Boost's own sanitizer options.
#include "core/platform/context.hpp"

#include <cstring>
#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>

#include <pthread.h>

// The sanitizers' functions exist where their runtime is in the process: this library may be compiled without a sanitizer
// and the program with one. All of them are weak, so that they are null elsewhere.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes);
[[gnu::weak]] void* __tsan_get_current_fiber(void);
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace skua::core {

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// The Itanium C++ ABI's __cxa_eh_globals, which <cxxabi.h> leaves opaque.
struct exception_globals {
  void* caught;
  unsigned uncaught;
};

// Not inlined: the ABI declares __cxa_get_globals const, so a compiler may keep its value across a switch, and a stack may
// continue on another thread.
[[gnu::noinline]] void swap_exceptions(context& saved, const context& loaded) {
  auto* globals = reinterpret_cast<exception_globals*>(abi::__cxa_get_globals());
  saved.caught = globals->caught;
  saved.uncaught = globals->uncaught;
  globals->caught = loaded.caught;
  globals->uncaught = loaded.uncaught;
}

/// AddressSanitizer keeps marks on stacks, and must know on which one a thread runs.
bool asan_is_here() noexcept { return &__sanitizer_start_switch_fiber != nullptr; }
/// ThreadSanitizer takes each stack for a thread of its own.
bool tsan_is_here() noexcept { return &__tsan_switch_to_fiber != nullptr; }

/// The stack on which this thread runs. A virtual thread of a simulated machine may be left on a task's stack as well as on
/// its own, so `from` alone does not say which stack is left.
thread_local struct {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
} running;

bool runs_on_known_stack() {
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  const char* bottom = static_cast<const char*>(running.bottom);
  return bottom && here >= bottom && here < bottom + running.bytes;
}

// If this library itself is compiled with ThreadSanitizer, the sanitizer keeps a list of calls for each stack. It would
// take the return from this function out of the list of the new stack, which may be empty. With clang the program
// crashed.
#ifdef __clang__
#define SKUA_NO_LIST_OF_CALLS __attribute__((disable_sanitizer_instrumentation))
#else
#define SKUA_NO_LIST_OF_CALLS __attribute__((no_sanitize_thread))
#endif

// Not inlined, as swap_exceptions.
[[gnu::noinline]] SKUA_NO_LIST_OF_CALLS void before_switch(context& from, context& to) {
  if (asan_is_here()) {
    if (runs_on_known_stack()) {
      from.bottom = running.bottom;
      from.bytes = running.bytes;
    }
    running = {to.bottom, to.bytes};
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
  }
  if (tsan_is_here()) {
    from.fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.fiber, 0);
  }
}

void after_switch(context& self) {
  if (asan_is_here()) __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
}

struct first_switch {
  context* from;
  context* self;
  void (*entry)();
};

void trampoline(transfer_t arrival) {
  const first_switch go = *static_cast<first_switch*>(arrival.data);
  go.from->position = arrival.fctx;
  after_switch(*go.self);
  go.entry();
  __builtin_unreachable();
}

}  // namespace

void start_context(context& made, void* memory, std::size_t bytes, void (*entry)()) {
  char* top = static_cast<char*>(memory) + bytes;
  made.position = make_fcontext(top, bytes, &trampoline);
  made.caught = reinterpret_cast<void*>(entry);  // until the first switch, which needs it once
  made.uncaught = ~0u;
  made.bottom = memory;
  made.bytes = bytes;
  if (tsan_is_here()) made.fiber = made.own_fiber = __tsan_create_fiber(0);
}

void adopt_thread(context& own) {
  if (tsan_is_here()) own.fiber = __tsan_get_current_fiber();
  if (!asan_is_here()) return;
  if (runs_on_known_stack()) {
    own.bottom = running.bottom;
    own.bytes = running.bytes;
    return;
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* bottom = nullptr;
    pthread_attr_getstack(&attributes, &bottom, &own.bytes);
    own.bottom = bottom;
    pthread_attr_destroy(&attributes);
  }
}

void switch_context(context& from, context& to) {
  first_switch go{&from, &to, nullptr};
  if (to.uncaught == ~0u) {
    go.entry = reinterpret_cast<void (*)()>(to.caught);
    to.caught = nullptr;
    to.uncaught = 0;
  }
  swap_exceptions(from, to);
  before_switch(from, to);
  const transfer_t arrival = jump_fcontext(static_cast<fcontext_t>(to.position), &go);
  static_cast<first_switch*>(arrival.data)->from->position = arrival.fctx;
  after_switch(from);
}

void end_context(context& dead) {
  // Its last frames are still marked, and the addresses may be used again for another purpose.
  if (asan_is_here() && dead.bottom) __asan_unpoison_memory_region(dead.bottom, dead.bytes);
  if (tsan_is_here() && dead.own_fiber) __tsan_destroy_fiber(dead.own_fiber);
  dead.own_fiber = nullptr;
}

bool sanitizer_is_here() noexcept { return asan_is_here() || tsan_is_here(); }

exceptions_aside::exceptions_aside() { swap_exceptions(kept_, context{}); }
exceptions_aside::~exceptions_aside() {
  context foreign;
  swap_exceptions(foreign, kept_);
}

}  // namespace skua::core
