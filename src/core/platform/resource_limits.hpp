// The limits of this process (setrlimit(2), `ulimit`) that keep it from another thread.
#pragma once

#include <cstddef>
#include <string>

namespace skua::core {

/// Holds as many addresses as the stack of one more thread needs, while it lives. False when there are not so many.
class room_for_thread_stack {
 public:
  room_for_thread_stack() noexcept;
  ~room_for_thread_stack();
  room_for_thread_stack(const room_for_thread_stack&) = delete;
  room_for_thread_stack& operator=(const room_for_thread_stack&) = delete;
  explicit operator bool() const noexcept;

 private:
  std::size_t bytes_;
  void* there_;
};

/// Whether there may be addresses for the stacks of so many new threads. A few of them may have one already: the C library
/// keeps stacks of threads that ended.
bool may_have_room_for_threads(std::size_t threads) noexcept;

/// "ulimit -v is 300000 kB", "ulimit -d ..."; empty without such a limit.
std::string limit_of_addresses();
/// "ulimit -u is 100"; empty without such a limit.
std::string limit_of_user_threads();

}  // namespace skua::core
