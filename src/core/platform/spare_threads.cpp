// Threads for calls that block. They are kept for the next call, and end after five seconds without one.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include <skua/detail/atomics.hpp>

#include "base/made_once.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/thread_binding.hpp"

namespace skua::core {

namespace {

struct call {
  void (*code)(void*);
  void* data;
};

struct spare_threads {
  explicit spare_threads(spare_threads* of_parent = nullptr) : parents(of_parent) {}

  spare_threads* const parents;  // those of the parent process
  std::mutex mutex;
  std::condition_variable wanted;
  std::deque<call> calls;
  std::size_t idle = 0;

  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      const bool got = wanted.wait_for(lock, std::chrono::seconds(5), [&] { return !calls.empty(); });
      --idle;
      if (!got) return;
      const call next = calls.front();
      calls.pop_front();
      lock.unlock();
      next.code(next.data);
      lock.lock();
    }
  }
};

// Never destroyed, since its threads may outlive static destruction. If only the program is built with a sanitizer,
// the sanitizer does not see that they are made before each use: the compiler's check is code of this library.
constinit base::made_once<spare_threads> spare_here;
spare_threads& spare() {
  spare_threads& here = spare_here.get();
  detail::tell_release(&spare_here, std::memory_order_release);
  detail::tell_acquire(&spare_here, std::memory_order_acquire);
  return here;
}

// In a child of fork() the threads do not exist, and the calls are the parent's.
void leave_spare_threads_in_parent() noexcept {
  if (spare_threads* const parents = spare_here.made()) spare_here.replace(new spare_threads(parents));
}
const in_child spare_in_child(leave_spare_threads_in_parent);

}  // namespace

namespace {

enum class added { for_an_idle_thread, for_a_new_thread, no_memory };

added add(const call& one) noexcept {
  try {
    spare_threads& s = spare();
    const std::lock_guard lock(s.mutex);
    s.calls.push_back(one);
    if (s.idle < s.calls.size()) return added::for_a_new_thread;
    s.wanted.notify_one();
    return added::for_an_idle_thread;
  } catch (const std::bad_alloc&) {
    return added::no_memory;
  }
}

}  // namespace

void host_platform::run_on_spare_thread(void (*code)(void*), void* data) {
  if (detail::time_is_virtual) return virtual_threads_here().start_helper([=] { code(data); });
  const added where = add({code, data});
  if (where == added::no_memory) return code(data);
  if (where == added::for_an_idle_thread) return;
  spare_threads& s = spare();
  try {
    // It serves all schedulers and outlives its maker, so it must not stay on the CPUs of the worker that needed it first.
    std::thread([&s, bound = starts_bound_threads()] {
      if (bound) release_this_thread();
      s.serve();
    }).detach();
  } catch (...) {
    // No more threads (std::system_error) or no memory. A busy thread will take the call when it is done; if none has
    // taken it yet, the caller runs it.
    std::unique_lock lock(s.mutex);
    if (s.calls.empty()) return;
    const call mine = s.calls.back();
    s.calls.pop_back();
    lock.unlock();
    mine.code(mine.data);
  }
}

}  // namespace skua::core
