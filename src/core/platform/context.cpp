// Stack switches by Boost.Context. This file keeps the exception state and informs the sanitizers itself, since Debian's
// Boost does not link with Boost's own sanitizer options.
#include "core/platform/context.hpp"

#include <cstring>
#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define SKUA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SKUA_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SKUA_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKUA_TSAN 1
#endif
#endif

#ifdef SKUA_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SKUA_TSAN
#include <sanitizer/tsan_interface.h>
#endif

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

#ifdef SKUA_ASAN
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
#endif

// Not inlined, as swap_exceptions.
[[gnu::noinline]] void before_switch([[maybe_unused]] context& from, [[maybe_unused]] context& to) {
#ifdef SKUA_ASAN
  if (runs_on_known_stack()) {
    from.bottom = running.bottom;
    from.bytes = running.bytes;
  }
  running = {to.bottom, to.bytes};
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
#ifdef SKUA_TSAN
  from.fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}

void after_switch([[maybe_unused]] context& self) {
#ifdef SKUA_ASAN
  __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
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
#ifdef SKUA_TSAN
  made.fiber = made.own_fiber = __tsan_create_fiber(0);
#endif
}

void adopt_thread([[maybe_unused]] context& own) {
#ifdef SKUA_ASAN
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
#endif
#ifdef SKUA_TSAN
  own.fiber = __tsan_get_current_fiber();
#endif
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

void end_context([[maybe_unused]] context& dead) {
#ifdef SKUA_ASAN
  // Its last frames are still marked, and the addresses may be used again for another purpose.
  if (dead.bottom) __asan_unpoison_memory_region(dead.bottom, dead.bytes);
#endif
#ifdef SKUA_TSAN
  if (dead.own_fiber) __tsan_destroy_fiber(dead.own_fiber);
  dead.own_fiber = nullptr;
#endif
}

exceptions_aside::exceptions_aside() { swap_exceptions(kept_, context{}); }
exceptions_aside::~exceptions_aside() {
  context foreign;
  swap_exceptions(foreign, kept_);
}

}  // namespace skua::core
