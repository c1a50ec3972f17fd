// The split queue: joins and group tasks of one owner, with thieves that claim and thieves that use force.
#include <memory>

#include <skua/detail/split_queue.hpp>

#include "core/completion.hpp"
#include "core/queue/queue_operations.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;

struct alignas(2) none {};

// What a fork writes to its frame.
struct frame {
  rl::var<int> argument;
  rl::var<int> result;
  rl::var<int> runs;
  rl::var<int> group;  // what a thief may read before it claims
};

struct side {
  core::completion<P, none> done;
  rl::var<int> context;  // the thread that publishes writes it; the thread that claims reads it
};

template <class Self, int Threads, int Capacity>
struct with_queue : scenario<Self, Threads> {
  std::unique_ptr<queue> q{new queue};
  slot slots[Capacity + 1];
  side sides[Capacity];

  with_queue() { core::initialise<P>(*q, slots, Capacity); }

  bool interrupt(slot*) { return rl::rand(2) != 0; }
  void resume(slot*) {}
  bool before_force() { return true; }

  side& side_of(const slot* s) { return sides[s - slots]; }

  static void run(frame& f) {
    AT(f.result) = AT(f.argument) + 1;
    AT(f.runs) = AT(f.runs) + 1;
  }
};

// Nested joins. task_context::slow_push, reclaim and finish (src/core/slow_path.cpp) run them in the same way.
template <class Self, int Threads, int Capacity, int Depth, int Times, class Fences = P>
struct joins : with_queue<Self, Threads, Capacity> {
  using base = with_queue<Self, Threads, Capacity>;
  using base::q;
  using base::sides;
  using base::slots;
  frame frames[Depth * Times];
  int used = 0;
  bool withdraws =
      false;  // the owner pops some records at once, to run them in another way (loop.cpp, forks.cpp)
  bool pushes_again = true;  // if a thief has published such a record by force

  void publish(slot* s) {
    // Also reads the frame, as for a loop. An unordered read would be a race.
    auto* f = static_cast<frame*>(s->frame.load(std::memory_order_relaxed));
    AT(this->side_of(s).context) = AT(f->argument);
    this->side_of(s).done.reset();
  }

  void owner() {
    for (int i = 0; i < Times; ++i) join(Depth);
  }

  void join(int depth) {
    frame& f = frames[used++];
    AT(f.argument) = used;
    AT(f.runs) = 0;
    slot* const s = q->top.load(std::memory_order_relaxed);
    const bool slow = q->push(s, this, &f);
    const bool withdrawn = withdraws && rl::rand(2) != 0;
    if (withdrawn && q->pop(s)) {
      if (depth > 1) join(depth - 1);
      return this->run(f);
    }
    if (withdrawn && pushes_again) core::push_again<P>(*q, s);
    if (slow) slow_push(s);
    if (depth > 1) join(depth - 1);
    if (q->pop(s) || core::reclaim<P>(*q, s, static_cast<core::stay_public>(rl::rand(3)))) {
      this->run(f);
    } else {
      while (!this->side_of(s).done.done()) P::relax();
      core::retire<P>(*q, s);
    }
    RL_ASSERT(AT(f.runs) == 1);
    RL_ASSERT(AT(f.result) == AT(f.argument) + 1);
  }

  void slow_push(slot* s) {
    core::rearm<P>(*q);
    if (s >= q->last) {
      q->top.store(s, std::memory_order_release);
      return;
    }
    if (rl::rand(4) == 0) return;
    q->limit.store(q->first_slot, std::memory_order_relaxed);
    core::publish_all<P>(*q, *this);
  }

  void thief(int rounds, bool force) {
    for (int i = 0; i < rounds; ++i) {
      core::claimed one;
      const auto accept = [&](void*, std::uint16_t) { return rl::rand(4) != 0; };
      bool taken = core::claim<P>(*q, &one, 1, accept) != 0;
      if (!taken && core::load_of<P>(*q) != 0) {
        if (force)
          taken = core::force_publish<Fences>(*q, *this) && core::claim<P>(*q, &one, 1, accept) != 0;
        else
          core::request<P>(*q);
      }
      if (!taken) continue;
      auto* f = static_cast<frame*>(one.frame);
      RL_ASSERT(one.run == this);
      RL_ASSERT(AT(sides[one.index].context) == AT(f->argument));
      this->run(*f);
      RL_ASSERT(!sides[one.index].done.finish());
    }
  }
};

struct join_and_claim : joins<join_and_claim, 2, 3, 2, 2> {
  void thread(unsigned i) { i == 0 ? owner() : thief(4, false); }
};
struct join_and_force : joins<join_and_force, 2, 3, 2, 2> {
  void thread(unsigned i) { i == 0 ? owner() : thief(3, true); }
};
// The owner and a thief compete for the last record. The queue becomes full.
struct full_queue : joins<full_queue, 2, 1, 2, 3> {
  void thread(unsigned i) { i == 0 ? owner() : thief(4, rl::rand(2) != 0); }
};
struct two_thieves : joins<two_thieves, 3, 2, 2, 2> {
  void thread(unsigned i) { i == 0 ? owner() : thief(3, i == 1); }
};
struct two_forces : joins<two_forces, 3, 2, 2, 1> {
  void thread(unsigned i) { i == 0 ? owner() : thief(2, true); }
};

// The owner withdraws records that a thief may publish by force.
template <bool Planted>
struct withdrawn_joins : joins<withdrawn_joins<Planted>, 2, 3, 2, 2> {
  withdrawn_joins() {
    this->withdraws = true;
    this->pushes_again = !Planted;
  }
  void thread(unsigned i) {
    i == 0 ? this->owner() : joins<withdrawn_joins<Planted>, 2, 3, 2, 2>::thief(3, true);
  }
};

// The kernel refuses some fences.
struct refused_forces : joins<refused_forces, 3, 2, 2, 2, refusing_platform> {
  void thread(unsigned i) { i == 0 ? owner() : thief(2, true); }
};

// Group tasks, which have no join of their own. pop_task and take_task (src/core) run them in the same way. A thief takes
// half. With `Oldest`, the owner also takes from the oldest end, as with fifo, and moves the remaining records to the front.
template <class Self, int Threads, bool Oldest = false>
struct tasks : with_queue<Self, Threads, 3> {
  using base = with_queue<Self, Threads, 3>;
  using base::q;
  static constexpr int count = 4;
  frame frames[count];
  atomic<int> left;

  tasks() { left.store(count, std::memory_order_relaxed); }

  void publish(slot* s) {
    auto* f = static_cast<frame*>(s->frame.load(std::memory_order_relaxed));
    AT(f->argument) = AT(f->argument) + 10;  // like task::counted
  }

  void owner() {
    for (int i = 0; i < count;) {
      for (int k = 0; k < 2; ++k, ++i) {
        AT(frames[i].argument) = i;
        AT(frames[i].runs) = 0;
        AT(frames[i].group) = i;
        slot* const s = q->top.load(std::memory_order_relaxed);
        if (q->push(s, this, &frames[i]) && rl::rand(4) != 0) {
          core::rearm<P>(*q);
          q->limit.store(q->first_slot, std::memory_order_relaxed);
          core::publish_all<P>(*q, *this);
        }
      }
      while (frame* f = pop()) finish(*f);
    }
    while (left.load(std::memory_order_acquire) != 0) P::relax();
    for (frame& f : frames) RL_ASSERT(AT(f.runs) == 1);
  }

  frame* pop() {
    if (rl::rand(Oldest ? 2 : 4) == 0) {
      const int wanted = static_cast<int>(rl::rand(2));
      const auto accept = [&](void* f) { return (static_cast<frame*>(f) - frames) % 2 == wanted; };
      if (rl::rand(2) != 0)
        core::gather<core::queue_end::newest, P>(*q, accept);
      else
        core::gather<core::queue_end::oldest, P>(*q, accept);
    }
    if (Oldest && rl::rand(4) == 0) {
      frame* moved_out = nullptr;
      core::make_room<P>(*q, static_cast<std::ptrdiff_t>(rl::rand(3)), [&](const slot* from, const slot*) {
        moved_out = static_cast<frame*>(from->frame.load(std::memory_order_relaxed));
        return 1;
      });
      if (moved_out) return moved_out;
    }
    slot* const top = q->top.load(std::memory_order_relaxed);
    if (top == q->first_slot) return nullptr;
    if (Oldest && rl::rand(4) == 0) return pop_oldest();
    slot* const s = top - 1;
    auto* f = static_cast<frame*>(s->frame.load(std::memory_order_relaxed));
    if (q->pop(s) || core::reclaim<P>(*q, s, static_cast<core::stay_public>(rl::rand(3)))) return f;
    core::retire<P>(*q, q->first_slot);
    return nullptr;
  }

  frame* pop_oldest() {
    core::publish_all<P>(*q, *this);
    core::claimed one;
    if (core::claim<P>(*q, &one, 1, [](void*, std::uint16_t) { return true; }) != 0)
      return static_cast<frame*>(one.frame);
    core::retire<P>(*q, q->first_slot);
    return nullptr;
  }

  void finish(frame& f) {
    this->run(f);
    left.fetch_sub(1, std::memory_order_acq_rel);
  }

  void thief(int rounds, bool force) {
    for (int i = 0; i < rounds; ++i) {
      core::claimed some[2];
      const auto accept = [&](void* f, std::uint16_t) { return AT(static_cast<frame*>(f)->group) >= 0; };
      std::size_t n = core::claim<P>(*q, some, 2, accept);
      if (n == 0 && core::load_of<P>(*q) != 0) {
        if (!force)
          core::request<P>(*q);
        else if (core::force_publish<P>(*q, *this))
          n = core::claim<P>(*q, some, 2, accept);
      }
      for (std::size_t k = 0; k < n; ++k) finish(*static_cast<frame*>(some[k].frame));
    }
  }
};

struct tasks_and_half : tasks<tasks_and_half, 2> {
  void thread(unsigned i) { i == 0 ? owner() : thief(4, rl::rand(2) != 0); }
};
struct tasks_and_two_thieves : tasks<tasks_and_two_thieves, 3> {
  void thread(unsigned i) { i == 0 ? owner() : thief(3, i == 1); }
};

struct tasks_from_both_ends : tasks<tasks_from_both_ends, 2, true> {
  void thread(unsigned i) { i == 0 ? owner() : thief(4, rl::rand(2) != 0); }
};

// A task moves to a backlog and comes back behind two tasks that were already there.
struct tasks_taken_back : tasks<tasks_taken_back, 2> {
  void thread(unsigned i) { i == 0 ? owner_with_backlog() : thief(3, rl::rand(2) != 0); }

  void owner_with_backlog() {
    for (slot* s = q->first_slot; s != q->last; ++s) s->run.store(this, std::memory_order_relaxed);
    frame* backlog[count] = {&frames[1], &frames[2]};
    std::size_t n = 2;
    q->push(q->own_top(), this, &made(0));
    core::publish_all<P>(*q, *this);
    core::make_room<P>(*q, 0, [&](const slot* from, const slot* to) {
      for (; from != to; ++from)
        backlog[n++] = static_cast<frame*>(from->frame.load(std::memory_order_relaxed));
      return std::ptrdiff_t{1};
    });
    made(1), made(2);  // late, so only push_all() orders it before the thief's read
    core::push_all<P>(*q, backlog, n);
    while (frame* f = pop()) finish(*f);
    finish(made(3));
    while (left.load(std::memory_order_acquire) != 0) P::relax();
    for (frame& f : frames) RL_ASSERT(AT(f.runs) == 1);
  }
  frame& made(int i) {
    AT(frames[i].argument) = i;
    AT(frames[i].runs) = 0;
    AT(frames[i].group) = i;
    return frames[i];
  }
};

// A wait takes the second task first: it lies where a thief with an old `range` reads the first one.
template <core::queue_end End>
struct tasks_gathered : tasks<tasks_gathered<End>, 2> {
  void thread(unsigned i) {
    if (i == 0) return owner_that_gathers();
    for (int k = static_cast<int>(rl::rand(30)); k > 0; --k) P::relax();
    this->thief(4, false);
  }

  void owner_that_gathers() {
    for (slot* s = this->q->first_slot; s != this->q->last; ++s)
      s->run.store(this, std::memory_order_relaxed);
    this->q->push(this->q->own_top(), this, &made(0));
    core::publish_all<P>(*this->q, *this);
    frame* const second = &made(1);  // late, so only the stores of gather() order it before the thief's read
    core::push_all<P>(*this->q, &second, 1);
    core::gather<End, P>(*this->q,
                         [&](void* f) { return f == &this->frames[End == core::queue_end::newest ? 0 : 1]; });
    while (frame* f = this->pop()) this->finish(*f);
    this->finish(made(2));
    this->finish(made(3));
    while (this->left.load(std::memory_order_acquire) != 0) P::relax();
    for (frame& f : this->frames) RL_ASSERT(AT(f.runs) == 1);
  }
  frame& made(int i) {
    frame& f = this->frames[i];
    AT(f.argument) = i;
    AT(f.runs) = 0;
    AT(f.group) = i;
    return f;
  }
};

// A task leaves tasks in its worker's pool. They must be counted before the end of that task is reported, even if another
// thread publishes them by force at the same time.
template <bool Planted>
struct leftovers : with_queue<leftovers<Planted>, 2, 3> {
  using base = with_queue<leftovers<Planted>, 2, 3>;
  using base::q;
  frame frames[2];

  void publish(slot* s) {
    auto* f = static_cast<frame*>(s->frame.load(std::memory_order_relaxed));
    AT(f->argument) = AT(f->argument) + 10;  // like task::counted
  }

  void thread(unsigned i) {
    if (i == 1) {
      for (int k = 0; k < 2; ++k) core::force_publish<P>(*q, *this);
      return;
    }
    for (frame& f : frames) {
      AT(f.argument) = 1;
      q->push(q->top.load(std::memory_order_relaxed), this, &f);
      if (rl::rand(2) == 0) continue;
      if (!Planted)
        core::publish_leftovers<P>(*q, *this);
      else if (q->top.load(std::memory_order_relaxed) > q->split.load(std::memory_order_relaxed))
        core::publish_all<P>(*q, *this);  // a thread that publishes by force raises `split` first
      RL_ASSERT(AT(f.argument) == 11);
    }
  }
};

// If fences are refused, a thread waits until the owner has counted and published a task that the thread knows of.
struct asked_owner : with_queue<asked_owner, 2, 1> {
  frame f;
  P::atomic<int> pushed;
  asked_owner() { pushed.store(0, std::memory_order_relaxed); }

  void publish(slot*) { AT(f.argument) = AT(f.argument) + 10; }

  void thread(unsigned i) {
    if (i == 0) {
      AT(f.argument) = 1;
      q->push(q->top.load(std::memory_order_relaxed), this, &f);
      pushed.store(1, std::memory_order_release);
      core::publish_all<P>(*q, *this);
      return;
    }
    while (!pushed.load(std::memory_order_acquire)) P::relax();
    while (!core::all_public<P>(*q)) P::relax();
    RL_ASSERT(AT(f.argument) == 11);
  }
};

// An owner stops to watch its pushes while a thread asks it to publish: the next push takes the slow path.
template <bool Planted>
struct watch_ends : with_queue<watch_ends<Planted>, 2, 1> {
  using base = with_queue<watch_ends<Planted>, 2, 1>;
  using base::q;
  frame f;

  watch_ends() {
    q->watched = true;
    q->limit.store(core::open_limit<P>(*q), std::memory_order_relaxed);
  }

  void publish(slot*) {}

  void thread(unsigned i) {
    if (i == 1) return core::request<P>(*q);
    q->watched = false;
    if (Planted)
      core::rearm<P>(*q);
    else
      core::end_watch<P>(*q);
  }

  void after() { RL_ASSERT(q->push(q->top.load(std::memory_order_relaxed), this, &f)); }
};

// The owner counts a task that is not counted yet, and then takes it out of the queue: it waits in a bundle (dealt_tasks.cpp). A
// thread that looks for it in the queue, and does not find it, sees that it is counted.
template <bool Refused>
struct task_taken_out : with_queue<task_taken_out<Refused>, 2, 1> {
  using base = with_queue<task_taken_out<Refused>, 2, 1>;
  using base::q;
  frame f;
  P::atomic<int> pushed, counted;
  task_taken_out() {
    pushed.store(0, std::memory_order_relaxed);
    counted.store(0, std::memory_order_relaxed);
  }

  void publish(slot*) { counted.fetch_add(1, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) {
      slot* const s = q->top.load(std::memory_order_relaxed);
      q->push(s, this, &f);
      pushed.store(1, std::memory_order_release);
      counted.fetch_add(1, std::memory_order_relaxed);
      if (!q->pop(s)) core::reclaim<P>(*q, s, core::stay_public::none);
      return;
    }
    while (!pushed.load(std::memory_order_acquire)) P::relax();
    if (!Refused) core::force_publish<P>(*q, *this, true);
    while (Refused && !core::all_public<P>(*q)) P::relax();
    RL_ASSERT(counted.load(std::memory_order_relaxed) != 0);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  constexpr const char* reuse =
      "It orders a thief's read of a slot before the owner's later write to it; in Relacy no load returns a "
      "value stored later.";
  return mutant_test(
             {{"split_queue.hpp", "queue_operations.hpp"}, {}},
             {{"joins and a thief", &run_random<join_and_claim>},
              {"joins and force", &run_random<join_and_force>},
              {"a queue of one", &run_random<full_queue>},
              {"joins, a thief and force", &run_random<two_thieves>},
              {"joins and two thieves that use force", &run_random<two_forces>},
              {"joins that are withdrawn, and force", &run_random<withdrawn_joins<false>>},
              {"joins and refused fences", &run_random<refused_forces>},
              {"tasks and a thief", &run_random<tasks_and_half>},
              {"tasks and two thieves", &run_random<tasks_and_two_thieves>},
              {"tasks from both ends", &run_random<tasks_from_both_ends>},
              {"tasks taken back", &run_random<tasks_taken_back>},
              {"tasks gathered at the newest end",
               &run_random<tasks_gathered<skua::core::queue_end::newest>>},
              {"tasks gathered at the oldest end",
               &run_random<tasks_gathered<skua::core::queue_end::oldest>>},
              {"leftovers and force", &run_random<leftovers<false>>},
              {"an owner that is asked", &run_random<asked_owner>},
              {"an owner that stops to watch", &run_random<watch_ends<false>>},
              {"a task that is taken out", &run_random<task_taken_out<false>>},
              {"a task that is taken out, and refused fences", &run_random<task_taken_out<true>>}},
             {{"claim", "compare_exchange", "release -> relaxed", 0, reuse},
              {"update_range", "compare_exchange", "acq_rel -> release", 0, reuse},
              {"rearm", "light_fence", "", 0, "It is part of the idle protocol: see idle_test."},
              {"push", "light_fence", "", 0, "It is part of the idle protocol: see idle_test."},
              {"push_again", "light_fence", "", 0, "It is part of the idle protocol: see idle_test."},
              {"push_all", "store", "", 1,
               "It orders what a thief reads through an old `range`, as push's first store does, which is "
               "weakened too. Random schedules do not reach that here."},
              {"force_publish", "heavy_fence", "", 2, "It interrupts loops: see loop_range_test."}},
             {{"leftovers by the split", &run_random<leftovers<true>>},
              {"a failed pop that is not undone", &run_random<withdrawn_joins<true>>},
              {"an owner that opens its limit when it stops to watch", &run_random<watch_ends<true>>}})
      .run(30000, 50000);
}
