// The implementation of skua::mutex: which tasks wait in the line of a mutex, and how a waiter is woken.
//
// A suspended task can only continue on its home worker, one at a time. So of the tasks that are suspended on one worker
// and wait for one mutex, only the first is in the mutex's line. The others wait behind it, in a list that only that
// worker touches. Therefore a line is never longer than the number of threads.
#include <skua/sync.hpp>

#include <utility>

#include "core/locks/lock_line.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

namespace core {

/// One call of lock() that waits. It lies in the frame of that call.
class mutex_waiter final : public awaited_event {
 public:
  using words = detail::lock_words<detail::host_atomics>;

  explicit mutex_waiter(words& of) : words_(of), line_(of) {}

  static void unlock(words& of) noexcept {
    lock_line<host_platform, words> line(of);
    if (!line.unlock()) return;
    const detail::strand_pauses pause;
    line.tell_next(tell);
  }

  /// Waits until the caller has the mutex.
  void lock() {
    while (!acquired_) {
      wait_in_line();
      if (!acquired_) acquired_ = line_.try_again(entry_);
    }
    if (home_) leave_home();
  }

  bool done() override { return acquired_ = words_.try_lock(); }
  stolen help(stack&, std::int64_t) override { return {}; }
  bool wait_by(waiter& w) override {
    entry_.waiter = &w;
    if (w.suspended && !home_ && waits_behind_another(*w.suspended->home)) return true;
    return !(acquired_ = !line_.enter(entry_));
  }
  void held_up() noexcept override {
    // It may have found the mutex free in wait_by(), after it had left its stack.
    if (std::exchange(acquired_, false)) return unlock(words_);
    line_.hold_up(entry_, tell);
  }

 private:
  static bool tell(void* to_wake) noexcept { return wake_and_ask(*static_cast<waiter*>(to_wake)); }

  void wait_in_line() {
    if (stack* const self = current_stack()) return wait_for(*self, *this);
    waiter w;
    if (!wait_by(w)) return;
    while (w.woken.load(std::memory_order_acquire) == 0) host_platform::park(w.woken, 0, -1);
  }

  /// False when no other stack of this worker waits for this mutex. Then this waiter becomes the first.
  bool waits_behind_another(worker& here) noexcept {
    for (mutex_waiter* first = here.mutex_waiters; first; first = first->next_) {
      if (&first->words_ != &words_) continue;
      (first->behind_ ? first->last_behind_->next_ : first->behind_) = this;
      first->last_behind_ = this;
      return true;
    }
    become_first_at(here);
    return false;
  }
  void become_first_at(worker& here) noexcept {
    home_ = &here;
    next_ = here.mutex_waiters;
    here.mutex_waiters = this;
  }
  /// It has the mutex. The next waiter behind it enters the line.
  void leave_home() noexcept {
    mutex_waiter** link = &home_->mutex_waiters;
    while (*link != this) link = &(*link)->next_;
    *link = next_;
    mutex_waiter* const then = behind_;
    if (!then) return;
    then->behind_ = then->next_;
    then->last_behind_ = last_behind_;
    then->become_first_at(*home_);
    then->line_.enter_while_locked(then->entry_);
  }

  words& words_;
  lock_line<host_platform, words> line_;
  detail::lock_entry entry_;
  bool acquired_ = false;
  worker* home_ = nullptr;          // where it is the first that waits for this mutex, while it is suspended
  mutex_waiter* next_ = nullptr;    // among those first ones, or behind one of them
  mutex_waiter* behind_ = nullptr;  // those that wait behind it, oldest first
  mutex_waiter* last_behind_ = nullptr;  // valid if there are any
};

}  // namespace core

void mutex::lock_slowly() {
  const detail::strand_pauses pause;
  observed_lock wait(__builtin_return_address(0));
  for (int i = 0; i < 64; ++i) {
    if (!words_.locked.load(std::memory_order_relaxed) &&
        words_.in_line.load(std::memory_order_relaxed) == 0 && try_lock())
      return;
    host_platform::relax();
  }
  wait.waits_in_line();
  mutex_waiter(words_).lock();
}

void mutex::unlock() { mutex_waiter::unlock(words_); }

}  // namespace skua
