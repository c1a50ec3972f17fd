// The tasks of a group, and the thread that waits for them. That thread continues once, after all tasks, and may then
// destroy the group at once.
#include <optional>

#include <skua/detail/pending.hpp>

#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

bool pause() {
  P::relax();
  return true;
}

// A waiter that keeps its stack. src/core/waiting.cpp parks it in the same way.
struct waiter {
  rl::var<int> state;
  atomic<std::uint32_t> woken;
};

template <int Tasks>
struct tasks_of_group {
  std::optional<detail::pending_tasks<P>> pending{std::in_place};
  waiter self;
  rl::var<int> results[Tasks];
  rl::var<int> more;  // written by a task that another task ran
  atomic<int> started[Tasks];

  tasks_of_group() {
    self.woken.store(0, std::memory_order_relaxed);
    AT(more) = 0;
    for (auto& s : started) s.store(0, std::memory_order_relaxed);
  }
  void begin() {
    pending->add(Tasks, &pause);
    for (auto& s : started) s.store(1, std::memory_order_release);  // stands for a claim
  }
  // Until all tasks have ended at some time.
  void wait() {
    if (rl::rand(2) == 0 && pending->done()) return;
    AT(self.state) = 7;
    if (!pending->wait_by(&self)) return;
    if (rl::rand(2) == 0 && pending->withdraw()) {  // it waits in another way
      if (rl::rand(2) == 0) return wait();
      while (!pending->done()) P::relax();
      return;
    }
    while (self.woken.load(std::memory_order_acquire) == 0) P::park(self.woken, 0);
    self.woken.store(0, std::memory_order_relaxed);
  }

  void task(int k) {
    while (!started[k].load(std::memory_order_acquire)) P::relax();
    AT(results[k]) = 10 + k;
    if (k == 0 && rl::rand(2) == 0) {
      pending->add(1, &pause);
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

template <class Self, int Tasks>
struct group : scenario<Self, Tasks + 1>, tasks_of_group<Tasks> {
  void thread(unsigned i) { i == 0 ? home() : this->task(static_cast<int>(i) - 1); }
  void home() {
    this->begin();
    this->wait();
    for (int k = 0; k < Tasks; ++k) RL_ASSERT(AT(this->results[k]) == 10 + k);
    AT(this->more) = AT(this->more) + 1;
    this->pending.reset();
  }
};
struct one_task : group<one_task, 1> {};
struct two_tasks : group<two_tasks, 2> {};

// Other threads add a task each while home waits. Then home waits again, for all that they have added.
template <class Self, int Tasks, int Others>
struct added_meanwhile : scenario<Self, Tasks + Others + 1> {
  tasks_of_group<Tasks> with;
  rl::var<int> results_outside[Others];
  atomic<int> added;

  added_meanwhile() {
    for (auto& result : results_outside) AT(result) = 0;
    added.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i == 0) return home();
    if (i <= Tasks) return with.task(static_cast<int>(i) - 1);
    with.pending->add(1, &pause);
    added.fetch_add(1, std::memory_order_release);
    AT(results_outside[i - Tasks - 1]) = 5;
    with.finish(1);
  }
  void home() {
    with.begin();
    with.wait();
    for (int k = 0; k < Tasks; ++k) RL_ASSERT(AT(with.results[k]) == 10 + k);
    while (added.load(std::memory_order_acquire) != Others) P::relax();
    with.wait();
    for (auto& result : results_outside) RL_ASSERT(AT(result) == 5);
    with.pending.reset();
  }
};
struct one_is_added : added_meanwhile<one_is_added, 1, 1> {};
struct two_are_added : added_meanwhile<two_are_added, 1, 2> {};

// Planted mistake: home leaves as soon as it has withdrawn.
struct leaves_early : group<leaves_early, 1> {
  void thread(unsigned i) {
    if (i != 0) return task(0);
    begin();
    AT(self.state) = 7;
    if (!pending->wait_by(&self) || !pending->withdraw()) return;
    RL_ASSERT(AT(results[0]) == 10);
  }
};
}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"pending.hpp"}, {}},
                     {{"one task", &run_random<one_task>},
                      {"two tasks", &run_random<two_tasks>},
                      {"one is added", &run_random<one_is_added>},
                      {"two are added", &run_random<two_are_added>}},
                     {{"take_waiter", "compare_exchange", "acq_rel -> acquire", 0,
                       "Relacy does not see that the object's memory is freed; ThreadSanitizer does."}},
                     {{"a waiter that has withdrawn and leaves early", &run_random<leaves_early>}})
      .run(100000, 50000);
}
