// fork(): the child has a copy of all memory, but no thread other than the one that called fork(). A lock that a
// missing thread held would stay locked, and its unfinished work would stay undone.
//
//   fork_safe_lock      guards what child and parent both use: fork() waits until it is free
//   making_scheduler    the same for a thread that makes a scheduler, which takes long and initialises static variables
//   in_child            runs code in the child before fork() returns there, to forget what belongs to the parent's threads
//   process_generation  tells what was made before the fork
//
// All of it holds for fork() only: vfork(), posix_spawn() and _Fork() call no handlers.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/for_simulator.hpp"

namespace skua::core {

namespace generations {
extern constinit std::atomic<std::uint32_t> now;
}
/// The number of forks from the first process in which this library was loaded down to this process. relaxed: it
/// changes only while a process has one thread.
inline std::uint32_t process_generation() noexcept {
  return generations::now.load(std::memory_order_relaxed);
}
/// The same for the simulator. The variable itself is not exported, since each use in this library would take longer then.
SKUA_FOR_SIMULATOR std::uint32_t exported_process_generation() noexcept;

/// Waits in the kernel. Real also for virtual threads.
class plain_lock {
 public:
  constexpr plain_lock() noexcept = default;
  plain_lock(const plain_lock&) = delete;
  plain_lock& operator=(const plain_lock&) = delete;
  void lock() noexcept;
  void unlock() noexcept;

 private:
  enum : std::uint32_t { free, locked, waited_for };
  std::atomic<std::uint32_t> state_{free};
};

/// A lock that a child finds free, and its data complete. Its holder takes no other lock of this kind, makes and
/// destroys none, and calls no code of the program. fork() takes all of them in one pass. This is no std::mutex, since
/// ThreadSanitizer allows a thread to hold few of those. Do not make one under another lock that fork() takes.
class fork_safe_lock : public plain_lock {
 public:
  fork_safe_lock() noexcept;
  ~fork_safe_lock();

 private:
  friend struct all_fork_safe_locks;
  fork_safe_lock* next_ = nullptr;
  fork_safe_lock* before_ = nullptr;
};

/// Lives while the calling thread makes a scheduler, and what belongs to it. Only one thread has one at a time, and
/// fork() in another thread waits. A thread may make a scheduler while it makes one, and may call fork(). Does nothing
/// for virtual threads, which take turns.
class making_scheduler {
 public:
  making_scheduler() noexcept;
  ~making_scheduler();
  making_scheduler(const making_scheduler&) = delete;
  making_scheduler& operator=(const making_scheduler&) = delete;

 private:
  const bool real_;
};

/// A static object. Its function runs in each child, where no other thread exists, and may allocate. All locks of this
/// library are free then. The order of several functions is not defined.
class in_child {
 public:
  explicit in_child(void (*run)() noexcept) noexcept;
  in_child(const in_child&) = delete;
  in_child& operator=(const in_child&) = delete;

 private:
  friend struct all_in_child;
  void (*const run_)() noexcept;
  in_child* next_;
};

/// A static object. The functions run in the thread that calls fork(): `before` in the parent, `after` in parent and
/// child, and in the child before the functions of in_child.
class around_fork {
 public:
  around_fork(void (*before)() noexcept, void (*after)() noexcept) noexcept;
};

/// For a child whose thread can do no more: no other thread continues the program there. Prints that, with `where` the
/// thread is, and ends the process with exit code 2, as _exit() does.
[[noreturn]] void end_child(const char* where) noexcept;

}  // namespace skua::core
