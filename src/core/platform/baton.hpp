// Real threads of which one runs at a time: that which has the baton. A simulated machine gives each virtual thread its own
// where programs have thread_local variables. src/core/platform/baton.cpp implements it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace skua::core {

class baton_thread {
 public:
  /// The calling thread, which has the baton.
  baton_thread();
  /// A new one, which runs `code` when it first gets the baton. Before `code` passes it on for the last time it calls end().
  /// Throws std::system_error.
  baton_thread(std::size_t stack_bytes, std::function<void()> code);
  /// One that has not ended sleeps for ever.
  ~baton_thread();
  baton_thread(const baton_thread&) = delete;
  baton_thread& operator=(const baton_thread&) = delete;

  /// By the thread itself, which has the baton: until it gets it again. False where it has ended and gets it no more. This
  /// object may be gone as soon as `next` has the baton: who waits for ever is left behind.
  bool pass_baton(baton_thread& next) noexcept;
  void end() noexcept;

 private:
  struct shared_part;
  std::shared_ptr<shared_part> shared_;  // with the thread, which may live longer
};

}  // namespace skua::core
