// Suspending and resuming: a completion must find its waiter, or the waiter must find the completion done. Ready stacks must
// return to their home worker.
#include "core/completion.hpp"
#include "core/idle/sleepers.hpp"
#include "core/queue/arrivals.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

// A suspended stack: a value that it wrote before it was suspended, and its link in a ready list.
struct stack {
  rl::var<int> left_at;
  rl::var<stack*> next_var;
  // arrivals takes any node with a member `next`. Relacy checks this one as a plain variable.
  struct link {
    rl::var<stack*>& to;
    link& operator=(stack* s) {
      AT(to) = s;
      return *this;
    }
    operator stack*() const { return AT(to); }
  } next{next_var};
};

using completion = core::completion<P, stack>;
using arrivals = core::arrivals<P, stack>;

// The waiter leaves its stack and then registers it. The finisher resumes it at once.
struct finish_and_wait : scenario<finish_and_wait, 2> {
  completion done;
  stack self;
  rl::var<int> result;
  rl::var<int> resumed;

  finish_and_wait() {
    done.reset();
    AT(resumed) = 0;
  }
  void thread(unsigned i) {
    if (i == 0) {
      if (rl::rand(2) == 0 && done.done()) return resume();
      AT(self.left_at) = 7;
      if (!done.wait_by(&self)) resume();
    } else {
      AT(result) = 42;
      if (stack* waiting = done.finish()) {
        RL_ASSERT(waiting == &self && AT(waiting->left_at) == 7);
        resume();
      }
    }
  }
  void resume() {
    RL_ASSERT(AT(result) == 42);
    AT(resumed) = AT(resumed) + 1;
  }
  void after() { RL_ASSERT(AT(resumed) == 1); }
};

// Two stacks of one home worker wait. Two threads finish what they wait for while that worker sleeps (make_ready in
// waiting.cpp).
struct ready_stacks_go_home : scenario<ready_stacks_go_home, 3> {
  core::sleepers<P> idle{1};
  arrivals ready;
  completion done[2];
  stack stacks[2];
  rl::var<int> results[2];

  ready_stacks_go_home() {
    for (int k = 0; k < 2; ++k) {
      done[k].reset();
      AT(stacks[k].left_at) = k;
      RL_ASSERT(done[k].wait_by(&stacks[k]));
    }
  }
  void thread(unsigned i) { i == 0 ? home() : finisher(static_cast<int>(i) - 1); }

  void finisher(int k) {
    AT(results[k]) = 10 + k;
    stack* const waiting = done[k].finish();
    RL_ASSERT(waiting == &stacks[k]);
    ready.push(waiting);
    P::light_fence();
    if (idle.is_asleep(0)) idle.wake(0);
  }
  void home() {
    idle.begin_search(0);
    for (int resumed = 0;;) {
      for (stack* s = ready.take_oldest_first(); s;) {
        stack* const next = s->next;
        const int k = AT(s->left_at);
        RL_ASSERT(AT(results[k]) == 10 + k);
        s = next;
        if (++resumed == 2) return;
      }
      idle.park(0);
      P::heavy_fence();
      if (ready.any()) {
        idle.unpark(0);
        continue;
      }
      auto& word = idle.word(0);
      for (std::uint32_t state; (state = word.load(std::memory_order_acquire)) != idle.awake;)
        P::park(word, state);
    }
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"completion.hpp"}, {"suspend_test.cpp:home", "suspend_test.cpp:finisher"}},
                     {{"finish and wait", &run_random<finish_and_wait>},
                      {"finish and wait, all schedules of 3 preemptions", &run_bounded<finish_and_wait, 3>},
                      {"ready stacks go home", &run_random<ready_stacks_go_home>}},
                     {{"home", "load", "", 0, "The ready stacks are handed over by take_oldest_first()."}})
      .run(100000, 50000);
}
