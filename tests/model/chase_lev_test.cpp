// The Chase-Lev deque with an owner and thieves. It contains the joins of the owner or its tasks of a phase. Each record
// must be taken exactly once, and the thread that takes it must see what was written for it.
#include <skua/detail/split_queue.hpp>

#include "core/completion.hpp"
#include "core/queue/chase_lev.hpp"
#include "mutants.hpp"

// Relacy replaces new, but only the form of delete without a size. A ring that grows allocates inside a schedule.
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
void operator delete[](void* p, std::size_t) noexcept { operator delete[](p); }

namespace skua::model {
namespace {

using P = checked_platform;

struct alignas(2) none {};

// A slot, together with what the fork writes to its frame.
struct record {
  core::completion<P, none> done;
  rl::var<int> argument;
  rl::var<int> runs;
  atomic<int> number;  // what a thief may read before it takes the record
};

// Nested joins on this deque. task_context::slow_push, reclaim and finish (src/core/slow_path.cpp) run them in the same way.
template <class Self, int Threads, int Depth, int Times>
struct joins : scenario<Self, Threads> {
  core::chase_lev_deque<checked_atomics, core::slot_ring<checked_atomics, Depth>> deque;
  record slots[Depth];
  int forks = 0, left = Times;

  joins() {
    for (record& r : slots) r.number.store(0, std::memory_order_relaxed);
  }

  void owner() {
    for (; left > 0; --left) join(0);
  }
  void join(int at) {
    record& r = slots[at];
    const int number = ++forks;
    AT(r.argument) = number;
    AT(r.runs) = 0;
    r.done.reset();
    // The store is a release, like the stores to the words of a hint_cell.
    r.number.store(number, std::memory_order_release);
    deque.push(static_cast<std::uint16_t>(at));
    if (at + 1 < Depth && rl::rand(4) != 0) join(at + 1);
    if (deque.pop()) {
      AT(r.runs) = AT(r.runs) + 1;
    } else {
      while (!r.done.done()) P::relax();
    }
    RL_ASSERT(AT(r.runs) == 1);
    RL_ASSERT(AT(r.argument) == number);
  }

  // Like worker_thief::peek.
  void peek() {
    int number = 0;
    const bool stable = deque.look_at_oldest(
        [&](std::uint16_t at) { number = slots[at].number.load(std::memory_order_acquire); });
    if (stable) RL_ASSERT(number != 0);
  }
  // Like take_join with a confirmation.
  void take() {
    int confirmed = 0;
    const auto accept = [&](std::uint16_t oldest) {
      if (rl::rand(4) == 0)  // sometimes long enough for the owner to run all joins again
        while (rl::rand(16) != 0) P::relax();
      confirmed = slots[oldest].number.load(std::memory_order_acquire);
      return rl::rand(4) != 0;
    };
    std::uint16_t at = 0;
    if (!deque.take(at, accept)) return;
    record& r = slots[at];
    RL_ASSERT(AT(r.argument) == confirmed);
    AT(r.runs) = AT(r.runs) + 1;
    RL_ASSERT(!r.done.finish());
  }
  void thief() {
    while (left > 0) rl::rand(4) == 0 ? peek() : take();
  }
};

struct one_record : joins<one_record, 2, 1, 3> {
  void thread(unsigned i) { i == 0 ? owner() : thief(); }
};
struct two_records : joins<two_records, 2, 2, 2> {
  void thread(unsigned i) { i == 0 ? owner() : thief(); }
};
struct two_thieves : joins<two_thieves, 3, 2, 2> {
  void thread(unsigned i) { i == 0 ? owner() : thief(); }
};
struct three_records : joins<three_records, 3, 3, 1> {
  void thread(unsigned i) { i == 0 ? owner() : thief(); }
};

// Tasks in a ring that grows while thieves read it. The owner takes tasks from both ends.
template <class Self, int Threads, int Tasks>
struct tasks_of_a_phase : scenario<Self, Threads> {
  core::chase_lev_deque<checked_atomics, core::growing_ring<checked_atomics, 2, 1>> deque;
  rl::var<int> written[Tasks];
  rl::var<int> runs[Tasks];
  atomic<int> left;

  tasks_of_a_phase() { left.store(Tasks, std::memory_order_relaxed); }

  void run(const std::array<std::uint64_t, 2>& task) {
    RL_ASSERT(task[1] == ~task[0]);
    const auto i = static_cast<std::size_t>(task[0]);
    RL_ASSERT(i < Tasks);
    RL_ASSERT(AT(written[i]) == 7);
    AT(runs[i]) = AT(runs[i]) + 1;
    RL_ASSERT(AT(runs[i]) == 1);
    left.fetch_add(-1, std::memory_order_relaxed);
  }
  bool take() {
    std::array<std::uint64_t, 2> task{};
    if (!deque.take(task, [](const auto&) { return true; })) return false;
    run(task);
    return true;
  }
  void owner() {
    std::array<std::uint64_t, 2> task{};
    for (std::uint64_t i = 0; i < Tasks; ++i) {
      AT(written[i]) = 7;
      AT(runs[i]) = 0;
      deque.push({i, ~i});
      if (rl::rand(3) != 0) continue;
      if (rl::rand(2) == 0)
        take();
      else if (deque.pop(&task))
        run(task);
    }
    while (deque.pop(&task)) run(task);
  }
  void thief() {
    while (left.load(std::memory_order_relaxed) != 0)
      if (!take()) P::relax();
  }
};

struct growing : tasks_of_a_phase<growing, 2, 4> {
  void thread(unsigned i) { i == 0 ? owner() : thief(); }
};
struct growing_two_thieves : tasks_of_a_phase<growing_two_thieves, 3, 3> {
  void thread(unsigned i) { i == 0 ? owner() : thief(); }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test(
             {{"chase_lev.hpp"}, {}},
             {{"one record", &run_random<one_record>},
              {"two records", &run_random<two_records>},
              {"two records and two thieves", &run_random<two_thieves>},
              {"three records and two thieves", &run_random<three_records>},
              {"tasks in a ring that grows", &run_random<growing>},
              {"tasks in a ring that grows, and two thieves", &run_random<growing_two_thieves>}},
             {{"find_oldest", "load", "seq_cst -> acquire", 1,
               "It orders the load of `end_` after this one; in Relacy no seq_cst load returns a value older "
               "than the newest seq_cst store, so no load is early."},
              {"pop", "compare_exchange", "seq_cst -> acq_rel", 1,
               "For a thief that sees it and then reads `end_`: as above."},
              {"push", "load", "acquire -> relaxed", 1,
               "It orders the store to the cell after the thief's load of it; in Relacy no load returns a "
               "value stored later."}})
      .run(50000, 200000);
}
