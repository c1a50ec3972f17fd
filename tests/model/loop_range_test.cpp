// Lazy loops: each position must run exactly once, whether the owner shares the loop or a thief interrupts it.
#include <memory>

#include <skua/detail/loop.hpp>

#include "core/completion.hpp"
#include "core/queue/queue_operations.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;
using loop = detail::loop_claims<P>;

struct alignas(2) none {};

// One loop of an owner, with its record in a queue. loop_part::run and help_loop (src/core/loops/loop.cpp) run it in the same way.
template <class Self, int Threads, std::uint32_t Size, class Fences = P>
struct one_loop : scenario<Self, Threads> {
  std::unique_ptr<queue> q{new queue};
  slot slots[2];
  core::completion<P, none> done;
  loop part{Size};
  rl::var<int> input;
  rl::var<int> runs[Size];
  rl::var<int> back;  // the number of positions that the thief ran

  one_loop() {
    core::initialise<P>(*q, slots, 1);
    for (auto& r : runs) AT(r) = 0;
  }
  void after() {
    for (auto& r : runs) RL_ASSERT(AT(r) == 1);
  }

  // join_records
  bool interrupt(slot*) { return part.interrupt(); }
  void resume(slot*) { part.resume(); }
  void publish(slot*) {
    part.share();
    done.reset();
  }
  bool before_force() { return true; }

  void run(std::uint32_t first, std::uint32_t last) {
    RL_ASSERT(AT(input) == 9);
    for (; first < last; ++first) AT(runs[first]) = AT(runs[first]) + 1;
  }

  // Before position `share_at`, the owner finds an idle worker and publishes, like a fork in the body.
  void owner(std::uint32_t chunk, std::uint32_t share_at) {
    AT(input) = 9;
    slot* const s = q->top.load(std::memory_order_relaxed);
    q->push(s, this, &part);
    run_chunks(chunk, share_at);
    if (q->pop(s) || core::reclaim<P>(*q, s, core::stay_public::all)) return;
    while (!done.done()) P::relax();
    core::retire<P>(*q, s);
    RL_ASSERT(AT(back) <= static_cast<int>(Size));
  }
  void run_chunks(std::uint32_t chunk, std::uint32_t share_at) {
    for (std::uint32_t i = 0; i < Size;) {
      if (i == share_at) core::publish_all<P>(*q, *this);
      const std::uint32_t end = i + chunk < Size ? i + chunk : Size;
      if (!part.claim_private(end)) return run_shared(chunk, i, end);
      run(i, end);
      i = end;
    }
  }
  void run_shared(std::uint32_t chunk, std::uint32_t first, std::uint32_t last) {
    loop::piece now{first, last};
    if (!part.settle(last)) now = part.claim_front(chunk);
    while (now) {
      run(now.first, now.last);
      now = claim_next(now.last, chunk);
    }
  }
  loop::piece claim_next(std::uint32_t next, std::uint32_t chunk) {
    if (part.is_shared()) return part.claim_front(chunk);
    const loop::piece mine{next, next + chunk < Size ? next + chunk : Size};
    return !mine || part.claim_private(mine.last) || part.settle(mine.last) ? mine : part.claim_front(chunk);
  }

  void thief(int rounds, bool force) {
    for (int i = 0; i < rounds; ++i) {
      core::claimed one;
      const auto accept = [](void*, std::uint16_t) { return true; };
      bool taken = core::claim<P>(*q, &one, 1, accept) != 0;
      if (!taken && force && core::load_of<P>(*q) != 0)
        taken = core::force_publish<Fences>(*q, *this) && core::claim<P>(*q, &one, 1, accept) != 0;
      if (!taken) continue;
      auto& mine = *static_cast<loop*>(one.frame);
      RL_ASSERT(mine.size() == Size);
      int ran = 0;
      // Takes from the back repeatedly, like thieves of this thief.
      while (const loop::piece half = mine.claim_back()) {
        run(half.first, half.last);
        ran += static_cast<int>(half.last - half.first);
      }
      AT(back) = ran;
      RL_ASSERT(!done.finish());
      return;
    }
  }
};

struct owner_shares : one_loop<owner_shares, 2, 4> {
  void thread(unsigned i) { i == 0 ? owner(1, rl::rand(4)) : thief(4, false); }
};
struct thief_interrupts : one_loop<thief_interrupts, 2, 4> {
  void thread(unsigned i) { i == 0 ? owner(1 + rl::rand(2), 4) : thief(3, true); }
};
struct both : one_loop<both, 3, 4> {
  void thread(unsigned i) { i == 0 ? owner(1, rl::rand(5)) : thief(2, true); }
};

// The kernel refuses some fences, and the thief withdraws its interruption.
struct refused : one_loop<refused, 2, 4, refusing_platform> {
  void thread(unsigned i) { i == 0 ? owner(1, 4) : thief(4, true); }
};
struct two_refused : one_loop<two_refused, 3, 4, refusing_platform> {
  void thread(unsigned i) { i == 0 ? owner(1 + rl::rand(2), rl::rand(5)) : thief(2, true); }
};

// Two thieves of one shared loop. The first thief's own record offers the loop to the second (loop_part::take_back).
struct two_from_the_back : one_loop<two_from_the_back, 3, 4> {
  atomic<int> offered;
  two_from_the_back() {
    offered.store(0, std::memory_order_relaxed);
    AT(input) = 9;
  }
  void thread(unsigned i) {
    if (i == 0) {
      if (!part.claim_private(1)) RL_ASSERT(false);
      part.share();
      offered.store(1, std::memory_order_release);
      run(0, 1);
      run_front();
    } else {
      while (!offered.load(std::memory_order_acquire)) P::relax();
      while (const loop::piece half = part.claim_back()) run(half.first, half.last);
    }
  }
  void run_front() {
    while (const loop::piece now = part.claim_front(1)) run(now.first, now.last);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test(
             {{"loop.hpp"}, {"queue_operations.hpp:force_publish"}},
             {{"the owner shares", &run_random<owner_shares>},
              {"a thief interrupts", &run_random<thief_interrupts>},
              {"both, and two thieves", &run_random<both>},
              {"refused fences", &run_random<refused>},
              {"refused fences, and two thieves", &run_random<two_refused>},
              {"two from the back", &run_random<two_from_the_back>},
              {"two from the back, all schedules of 1 preemption", &run_bounded<two_from_the_back, 1>}},
             {{"settle", "light_fence", "", 0, "It belongs to the fill of the loop only."},
              {"force_publish", "heavy_fence", "", 1, "See split_queue_test."},
              {"force_publish", "load", "", 0, "See split_queue_test."}})
      .run(50000, 50000);
}
