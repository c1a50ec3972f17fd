// Real threads that run one at a time: only the thread that holds the baton runs. A simulated machine uses one for each
// virtual thread if the program has thread_local variables (simulation::own_threads).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/for_simulator.hpp"

namespace skua::core {

class baton_thread {
 public:
  /// The calling thread, which holds the baton.
  SKUA_FOR_SIMULATOR baton_thread();
  /// A new thread, which runs `code` when it first gets the baton. `code` calls end() before it passes the baton on for the
  /// last time. Throws std::system_error.
  SKUA_FOR_SIMULATOR baton_thread(std::size_t stack_bytes, std::function<void()> code);
  /// If the thread has not ended, it sleeps for ever.
  SKUA_FOR_SIMULATOR ~baton_thread();
  baton_thread(const baton_thread&) = delete;
  baton_thread& operator=(const baton_thread&) = delete;

  /// Called by the thread itself, which holds the baton. Returns true when the thread gets the baton again, and false at
  /// once where the thread has ended. This object may be destroyed as soon as `next` holds the baton: a thread that waits
  /// for ever is left behind.
  SKUA_FOR_SIMULATOR bool pass_baton(baton_thread& next) noexcept;
  SKUA_FOR_SIMULATOR void end() noexcept;

 private:
  struct shared_part;
  std::shared_ptr<shared_part> shared_;  // with the thread, which may outlive this object
};

}  // namespace skua::core
