// A lock with a line of waiters. Only one thread holds it at a time, and no waiter is forgotten. A waiter whose worker is
// busy must not keep others from a free lock. For this, a worker that begins a task must check the list of ready stacks.
#include "core/locks/lock_line.hpp"
#include "core/queue/arrivals.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

/// A link that Relacy checks as a plain variable.
template <class Node>
struct link {
  rl::var<Node*> to;
  link& operator=(Node* node) {
    AT(to) = node;
    return *this;
  }
  operator Node*() const { return AT(to); }
};

struct entry {
  void* waiter = nullptr;
  link<entry> next;
  bool was_told = false;
  bool held_up = false;
};

using words = detail::lock_words<P, entry>;
using line = core::lock_line<P, words>;

// A waiter: a thread that keeps its stack, or a suspended stack. `entry` and `woken` are initialised for each wait.
struct waiter {
  bool suspended = false;
  entry in_line;
  link<waiter> next;
  atomic<std::uint32_t> woken;
};

// The lock, the data that it protects, and a home worker on which a stack may be suspended.
template <class Self, int Threads>
struct locked_system : scenario<Self, Threads> {
  words lock;
  rl::var<int> counter;
  waiter waiters[Threads];
  core::arrivals<P, waiter> ready;
  atomic<bool> running;  // the home worker runs a task
  bool asks = true;      // whether tell() checks `running`
  bool looks = true;     // whether the worker checks for ready stacks when it begins a task

  locked_system() {
    AT(counter) = 0;
    running.store(true, std::memory_order_relaxed);
    for (waiter& w : waiters) w.woken.store(0, std::memory_order_relaxed);
  }
  auto tell() {
    return [this](void* to) {
      auto& w = *static_cast<waiter*>(to);
      if (w.suspended) {
        ready.push(&w);
        return !asks || !running.load(std::memory_order_seq_cst);
      }
      w.woken.store(1, std::memory_order_release);
      P::unpark(w.woken);
      return true;
    };
  }
  void unlock() {
    if (line(lock).unlock()) line(lock).tell_next(tell());
  }
  // Like mutex_waiter::lock() of a thread that keeps its stack.
  void lock_in_place(waiter& w) {
    if (lock.try_lock()) return;
    w.in_line.waiter = &w;
    for (bool acquired = false; !acquired;) {
      w.woken.store(0, std::memory_order_relaxed);
      if (!line(lock).enter(w.in_line)) return;
      while (w.woken.load(std::memory_order_acquire) == 0) P::park(w.woken, 0);
      acquired = line(lock).try_again(w.in_line);
    }
  }
  void use() { AT(counter) = AT(counter) + 1; }
};

// Threads that lock and unlock.
template <class Self, int Threads, int Rounds>
struct contended : locked_system<Self, Threads> {
  void thread(unsigned i) {
    for (int round = 0; round < Rounds; ++round) {
      this->lock_in_place(this->waiters[i]);
      this->use();
      this->unlock();
    }
  }
  void after() { RL_ASSERT(AT(this->counter) == Threads * Rounds && !this->lock.first); }
};
struct two_threads : contended<two_threads, 2, 2> {};
struct three_threads : contended<three_threads, 3, 1> {};

// The first waiter is suspended on a home worker. The second one keeps its stack. When the lock becomes free, the home
// worker may find the first waiter. It may also begin a task that ends only after the second waiter has held the lock.
template <class Self>
struct home_and_others : locked_system<Self, 3> {
  atomic<std::uint32_t> second_had_it;

  home_and_others() {
    second_had_it.store(0, std::memory_order_relaxed);
    RL_ASSERT(this->lock.try_lock());
    waiter& first = this->waiters[0];
    first.suspended = true;
    first.in_line.waiter = &first;
    RL_ASSERT(line(this->lock).enter(first.in_line));
    this->running.store(false, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i == 0) return home();
    if (i == 1) {
      this->use();
      return this->unlock();
    }
    this->lock_in_place(this->waiters[2]);
    this->use();
    this->unlock();
    second_had_it.store(1, std::memory_order_release);
    P::unpark(second_had_it);
  }
  // Like begin_task() and hold_up_ready_stacks().
  void begin_task() {
    this->running.store(true, std::memory_order_seq_cst);
    if (!this->looks || !this->ready.any_for_owner()) return;
    this->ready.visit_newest([this](waiter& w) {
      line(this->lock).hold_up(w.in_line, this->tell());
      return true;
    });
  }
  void home() {
    waiter* first = rl::rand(2) == 0 ? this->ready.take_oldest_first() : nullptr;
    if (!first) {
      begin_task();
      while (second_had_it.load(std::memory_order_acquire) == 0) P::park(second_had_it, 0);
      this->running.store(false, std::memory_order_relaxed);
    }
    while (!first) {
      first = this->ready.take_oldest_first();
      if (!first) P::relax();
    }
    while (!line(this->lock).try_again(first->in_line)) {
      if (!line(this->lock).enter(first->in_line)) break;
      while (!this->ready.take_oldest_first()) P::relax();
    }
    this->use();
    this->unlock();
  }
  void after() { RL_ASSERT(AT(this->counter) == 3 && !this->lock.first); }
};

// The thread that unlocks relies on the first waiter, but that waiter's worker is busy.
struct busy_home : home_and_others<busy_home> {};
struct does_not_ask : home_and_others<does_not_ask> {
  does_not_ask() { asks = false; }
};
struct does_not_look : home_and_others<does_not_look> {
  does_not_look() { looks = false; }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  constexpr const char* reads_the_newest =
      "Relacy never lets a compare-and-swap fail because it reads an old value.";
  return mutant_test({{"lock_line.hpp", "lock_words.hpp", "guard_word.hpp"},
                      {"arrivals.hpp:push", "arrivals.hpp:any_for_owner", "arrivals.hpp:take_newest_first",
                       "arrivals.hpp:visit_newest"}},
                     {{"two threads", &run_random<two_threads>},
                      {"three threads", &run_random<three_threads>},
                      {"the home of the first is busy", &run_random<busy_home>}},
                     {{"unlock", "store", "", 0, reads_the_newest},
                      {"enter", "compare_exchange", "", 0, reads_the_newest},
                      {"enter", "compare_exchange failure", "", 0, reads_the_newest},
                      {"visit_newest", "load", "", 0, "The caller has called any_for_owner() before."}},
                     {{"does not ask whether the worker is busy", &run_random<does_not_ask>},
                      {"does not look when a task begins", &run_random<does_not_look>}})
      .run(100000, 50000);
}
