// A lease: an external thread keeps a worker between its calls. One thread at a time must use the worker, and exactly one
// thread must release it.
#include "core/external/lease.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

struct kept {
  core::lease<P> between_calls;
  rl::var<int> made;
};

// Thread 0 keeps the worker for some calls, as in kept_worker.cpp. The other threads take it back.
template <class Self, int Threads, int Calls>
struct kept_by_one : scenario<Self, Threads> {
  kept one;
  core::lease_at_worker<P, kept> at;
  rl::var<int> worker;    // belongs to the thread that has the worker
  rl::var<int> releases;  // the same

  kept_by_one() {
    AT(worker) = 0;
    AT(releases) = 0;
  }
  void use() { AT(worker) = AT(worker) + 1; }
  void release() {
    use();
    AT(releases) = AT(releases) + 1;
  }
  void holder() {
    AT(one.made) = 1;
    one.between_calls.enter();
    use();
    at.keep(one, [] {});
    for (int i = 0; i < Calls; ++i) {
      if (!one.between_calls.leave()) return end();
      if (!one.between_calls.enter()) return end();
      use();
    }
    if (rl::rand(2) == 0) return end();  // the thread may end during a call
    if (!one.between_calls.leave()) end();
  }
  void end() {
    if (at.lose(one)) release();
  }
  void take_back() {
    if (at.take_back()) release();
  }
  // The worker's own thread checks until the lease has ended.
  void own_thread() {
    while (at.any())  // the lease may not have begun yet
      if (at.take_back_if([](kept& k) { return AT(k.made) == 1 && rl::rand(2) == 0; }, [] {})) release();
  }
  void after() {
    if (at.any()) take_back();
    RL_ASSERT(AT(releases) == 1);
    RL_ASSERT(!at.any());
  }
};
struct one_takes_back : kept_by_one<one_takes_back, 2, 2> {
  void thread(unsigned i) { i == 0 ? holder() : take_back(); }
};
struct two_take_back : kept_by_one<two_take_back, 3, 2> {
  void thread(unsigned i) { i == 0 ? holder() : take_back(); }
};
struct own_thread_looks : kept_by_one<own_thread_looks, 3, 1> {
  void thread(unsigned i) { i == 0 ? holder() : i == 1 ? own_thread() : take_back(); }
};
// The holder frees what it keeps when it has ended the lease.
struct freed_afterwards : kept_by_one<freed_afterwards, 2, 0> {
  rl::var<int> alive;
  freed_afterwards() { AT(alive) = 1; }
  void thread(unsigned i) {
    if (i == 0) {
      one.between_calls.enter();
      use();
      at.keep(one, [] {});
      RL_ASSERT(at.lose(one));
      AT(alive) = 0;
      release();
    } else {
      const auto must = [this](kept&) { return AT(alive) != 1; };
      RL_ASSERT(!at.take_back_if(must, [] {}));
    }
  }
};
// A lease begins while the own thread finds that it is displaced. One of the two sees the other.
struct watched : kept_by_one<watched, 2, 0> {
  enum : int { awake, displaced, watching };
  atomic<int> word;
  watched() { word.store(awake, std::memory_order_relaxed); }
  void watch() {
    int expected = displaced;
    word.compare_exchange_strong(expected, watching, std::memory_order_seq_cst, std::memory_order_seq_cst);
  }
  void thread(unsigned i) {
    if (i == 0) {
      one.between_calls.enter();
      use();
      at.keep(one, [this] { watch(); });
      one.between_calls.leave();
    } else {
      word.store(displaced, std::memory_order_seq_cst);
      if (at.begins_to_watch()) watch();
    }
  }
  void after() {
    RL_ASSERT(word.load(std::memory_order_relaxed) == watching);
    kept_by_one::after();
  }
};

// Planted mistake: a thread checks whether a call is in progress before it announces that it wants the worker.
struct looks_before_it_says_so : kept_by_one<looks_before_it_says_so, 2, 2> {
  atomic<int> in_call, wanted;
  looks_before_it_says_so() {
    in_call.store(0, std::memory_order_relaxed);
    wanted.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i == 0) {
      in_call.store(1, std::memory_order_relaxed);
      P::light_fence();
      if (wanted.load(std::memory_order_relaxed) == 0) use();
      in_call.store(0, std::memory_order_release);
    } else {
      const bool free = in_call.load(std::memory_order_acquire) == 0;
      wanted.store(1, std::memory_order_relaxed);
      P::heavy_fence();
      if (free) use();
    }
  }
  void after() {}
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"lease.hpp"}, {}},
                     {{"one thread takes back", &run_random<one_takes_back>},
                      {"two threads take back", &run_random<two_take_back>},
                      {"the own thread looks", &run_random<own_thread_looks>},
                      {"freed afterwards", &run_random<freed_afterwards>},
                      {"watched", &run_random<watched>}},
                     {}, {{"looks before it says so", &run_random<looks_before_it_says_so>}})
      .run(30000, 30000);
}
