// The tasks of a group, and the thread that waits for them. That thread continues once, after all tasks, and may then
// destroy the group at once.
#include <optional>

#include <skua/detail/pending.hpp>

#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

// A waiter that keeps its stack. src/core/waiting.cpp parks it in the same way.
struct waiter {
  rl::var<int> state;
  atomic<std::uint32_t> woken;
};

template <class Self, int Tasks>
struct group : scenario<Self, Tasks + 1> {
  std::optional<detail::pending_tasks<P>> pending{std::in_place};
  waiter self;
  rl::var<int> results[Tasks];
  rl::var<int> more;  // written by a task that another task ran
  atomic<int> started[Tasks];

  group() {
    self.woken.store(0, std::memory_order_relaxed);
    AT(more) = 0;
    for (auto& s : started) s.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) { i == 0 ? home() : task(static_cast<int>(i) - 1); }

  void home() {
    pending->add(Tasks);
    for (auto& s : started) s.store(1, std::memory_order_release);  // stands for a claim
    wait();
    for (int k = 0; k < Tasks; ++k) RL_ASSERT(AT(results[k]) == 10 + k);
    AT(more) = AT(more) + 1;
    pending.reset();
  }
  void wait() {
    if (rl::rand(2) == 0 && pending->done()) return;
    AT(self.state) = 7;
    if (!pending->wait_by(&self)) return;
    if (rl::rand(2) == 0 && pending->withdraw()) {  // it waits in another way
      while (!pending->done()) P::relax();
      return;
    }
    while (self.woken.load(std::memory_order_acquire) == 0) P::park(self.woken, 0);
  }

  void task(int k) {
    while (!started[k].load(std::memory_order_acquire)) P::relax();
    AT(results[k]) = 10 + k;
    if (k == 0 && rl::rand(2) == 0) {
      pending->add(1);
      AT(more) = AT(more) + 1;
      if (rl::rand(2) == 0) return finish(2);
      finish(1);
    }
    finish(1);
  }
  void finish(std::uint64_t tasks) {
    void* const waiting = pending->finish(tasks);
    if (!waiting) return;
    auto& w = *static_cast<waiter*>(waiting);
    RL_ASSERT(&w == &self && AT(w.state) == 7);
    w.woken.store(1, std::memory_order_release);
    P::unpark(w.woken);
  }
};
struct one_task : group<one_task, 1> {};
struct two_tasks : group<two_tasks, 2> {};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"pending.hpp"}, {}},
                     {{"one task", &run_random<one_task>}, {"two tasks", &run_random<two_tasks>}}, {})
      .run(100000, 50000);
}
