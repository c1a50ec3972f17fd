// The hints of public records. A hint that a thief finds stable must belong to exactly one record: the one that the thief
// claims.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include <skua/detail/split_queue.hpp>

#include "core/completion.hpp"
#include "core/queue/hint_cells.hpp"
#include "core/queue/queue_operations.hpp"
#include "mutants.hpp"

// Relacy does not replace these forms of new and delete, so they call the forms that it replaces.
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return ::operator new[](bytes); }
void operator delete(void* p, std::size_t) noexcept { ::operator delete(p); }
void operator delete[](void* p, std::size_t) noexcept { ::operator delete[](p); }

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;

struct alignas(2) none {};

// The atomics of the cells. They begin at zero, like std::atomic, and detect an access to a block that does not exist.
struct cell_atomics {
  template <class T>
  struct atomic : model::atomic<T> {
    atomic() {
      rl::preemption_disabler alone(rl::ctx());
      this->store(T{}, std::memory_order_relaxed);
    }
    T load(std::memory_order order, site at = site::here()) const {
      const T read = model::atomic<T>::load(order, at);
      constexpr bool may_be_null = !std::is_pointer_v<T> || std::is_same_v<T, core::hint_cell<cell_atomics>*>;
      if constexpr (!may_be_null) RL_ASSERT(read || order == std::memory_order_relaxed);
      return read;
    }
  };
  static void made_words(const void*, std::size_t) {}
};

struct frame {
  rl::var<int> runs;
  int number;         // from 1
  std::size_t words;  // of the hint; 0: no hint
};

struct side {
  core::completion<P, none> done;
  rl::var<int> number;
};

// The hint of a record contains the record's number in each word.
std::uint64_t word_of(int number, std::size_t i) {
  return static_cast<std::uint64_t>(number) * 100 + static_cast<std::uint64_t>(i);
}

struct copied {
  std::uint64_t kind = 0;
  std::size_t bytes = 0;
  std::array<std::uint64_t, 16> words{};

  bool is_of(const frame& f) const {
    if (f.words == 0) return kind == 0;
    if (kind != static_cast<std::uint64_t>(f.number) || bytes != 8 * f.words) return false;
    for (std::size_t i = 0; i < f.words; ++i)
      if (words[i] != word_of(f.number, i)) return false;
    return true;
  }
};

// A queue that remembers the first value read from `range`. If Blind is set, later reads return that value again.
template <bool Blind>
struct observed_queue {
  struct {
    const queue& q;
    mutable std::uint64_t first = 0;
    mutable int reads = 0;
    std::uint64_t load(std::memory_order order, site at = site::here()) const {
      if (reads++ != 0) return Blind ? first : q.range.load(order, at);
      first = q.range.load(order, at);
      if (rl::rand(4) == 0)  // sometimes long enough for the owner to run all joins again
        while (rl::rand(16) != 0) P::relax();
      return first;
    }
  } range;
};

// Joins that publish at once. task_context::slow_push, reclaim and finish (src/core/slow_path.cpp), join_records::publish
// and keep_hint (src/core/queue/shared_records.cpp) run them in the same way.
template <class Self, int Threads, int Capacity, int Records, bool Blind = false>
struct hints : scenario<Self, Threads> {
  std::unique_ptr<queue> q{new queue};
  slot slots[Capacity + 1];
  side sides[Capacity];
  core::hint_cells<cell_atomics, Capacity, 1> cells;
  frame frames[Records];
  int used = 0, left = Records;
  // What was published at each slot, and with which version of `range`. Only the test uses it, and it orders no memory.
  struct publication {
    std::uint32_t version;
    const frame* what;
  };
  publication published[Capacity][2 * Records + 1];
  int publications[Capacity] = {};

  hints() { core::initialise<P>(*q, slots, Capacity); }

  const frame& public_at(const core::public_range& r) const {
    const frame* found = nullptr;
    for (int i = 0; i < publications[r.first]; ++i)
      if (published[r.first][i].version <= r.version) found = published[r.first][i].what;
    RL_ASSERT(found);
    return *found;
  }

  // The functions that the queue expects of its Records.
  bool interrupt(slot*) { return false; }
  void resume(slot*) {}
  bool before_force() { return true; }
  void publish(slot* s) {
    const int at = q->index_of(s);
    const auto& f = *static_cast<frame*>(s->frame.load(std::memory_order_relaxed));
    const auto now_public = core::public_range::unpack(q->range.newest());
    published[at][publications[at]++] = {now_public.version + 1, &f};
    AT(sides[at].number) = f.number;
    sides[at].done.reset();
    keep_hint(at, f);
  }
  void keep_hint(int at, const frame& f) {
    auto* const cell = f.words ? cells.make(at) : cells.at(at);
    if (!cell) return;
    cell->clear();
    if (f.words == 0) return;
    std::array<std::uint64_t, 16> words;
    for (std::size_t i = 0; i < f.words; ++i) words[i] = word_of(f.number, i);
    cell->write(static_cast<std::uint64_t>(f.number), words.data(), 8 * f.words);
  }

  template <class Inside>
  void join(std::size_t words, bool publishes, Inside inside) {
    frame& f = frames[used++];
    f.number = used;
    f.words = words;
    AT(f.runs) = 0;
    slot* const s = q->top.load(std::memory_order_relaxed);
    q->push(s, this, &f);
    if (publishes) core::publish_all<P>(*q, *this);
    inside();
    if (q->pop(s) || core::reclaim<P>(*q, s, static_cast<core::stay_public>(rl::rand(3)))) {
      AT(f.runs) = AT(f.runs) + 1;
    } else {
      while (!sides[s - slots].done.done()) P::relax();
      core::retire<P>(*q, s);
    }
    RL_ASSERT(AT(f.runs) == 1);
    --left;
  }
  void join(std::size_t words, bool publishes = true) {
    join(words, publishes, [] {});
  }

  // Like look_at_hint. Returns null unless the hint is stable.
  const frame* look(copied& hint) const {
    const observed_queue<Blind> seen{{*q}};
    const auto copy = [&](std::size_t size, auto word) {
      hint.bytes = size;
      for (std::size_t i = 0; i < size / 8; ++i) hint.words[i] = word(i);
    };
    if (!core::read_oldest_hint<cell_atomics>(seen, cells, hint.kind, copy)) return nullptr;
    const frame& its = public_at(core::public_range::unpack(seen.range.first));
    RL_ASSERT(hint.is_of(its));
    return &its;
  }

  // Like take_join with a confirmation, and like worker_thief::peek.
  void thief(bool force) {
    while (left != 0) {
      copied hint;
      if (rl::rand(2) == 0) {
        look(hint);
        continue;
      }
      const frame* confirmed = nullptr;
      const auto accept = [&](void*, std::uint16_t) {
        confirmed = look(hint);
        return confirmed && rl::rand(4) != 0;
      };
      core::claimed one;
      bool taken = core::claim<P>(*q, &one, 1, accept) != 0;
      if (!taken && force)
        taken = core::force_publish<P>(*q, *this) && core::claim<P>(*q, &one, 1, accept) != 0;
      if (!taken) continue;
      auto* const f = static_cast<frame*>(one.frame);
      RL_ASSERT(f == confirmed);
      RL_ASSERT(hint.is_of(*f));
      RL_ASSERT(AT(sides[one.index].number) == f->number);
      AT(f->runs) = AT(f->runs) + 1;
      RL_ASSERT(!sides[one.index].done.finish());
    }
  }
};

// One slot, with hints of one size, no hint, and hints again.
template <class Self, bool Blind>
struct short_hints : hints<Self, 2, 1, 4, Blind> {
  void thread(unsigned i) {
    if (i != 0) return this->thief(false);
    this->join(rl::rand(2) ? 1 : 0);
    this->join(2);
    this->join(rl::rand(2) ? 2 : 0);
    this->join(1);
  }
};
struct one_slot : short_hints<one_slot, false> {};
struct one_slot_blindly : short_hints<one_slot_blindly, true> {};

// The cell is allocated while a thief reads.
struct late_cell : hints<late_cell, 2, 1, 2> {
  void thread(unsigned i) {
    if (i != 0) return thief(false);
    join(0);
    join(1);
  }
};
// Hints that are larger than the inline words: in a block, in a larger block, with an inline hint between them.
struct long_hints : hints<long_hints, 2, 1, 4> {
  void thread(unsigned i) {
    if (i != 0) return thief(false);
    join(9);
    join(rl::rand(2) ? 9 : 1);
    join(10);
    join(9);
  }
};
// Two records and two thieves.
struct nested : hints<nested, 3, 2, 4> {
  void thread(unsigned i) {
    if (i != 0) return thief(false);
    for (int k = 0; k < 2; ++k) join(rl::rand(3), rl::rand(2) != 0, [&] { join(1 + k); });
  }
};
// A thief publishes the records by force and writes their hints.
struct forced : hints<forced, 3, 2, 4> {
  void thread(unsigned i) {
    if (i != 0) return thief(i == 1);
    for (int k = 0; k < 2; ++k) join(1 + k, rl::rand(4) == 0, [&] { join(rl::rand(3), false); });
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  rl::test_params params;
  params.iteration_count = 50000;
  if (run_random<one_slot_blindly>(params) == rl::test_result_success) {
    std::puts("FAIL read_oldest_hint without its second read of `range`: nothing fails");
    return EXIT_FAILURE;
  }
  std::printf("ok   without the second read of `range`: fails in iteration %llu\n",
              static_cast<unsigned long long>(params.stop_iteration));
  return mutant_test({{"hint_cells.hpp"}, {}},
                     {{"one slot", &run_random<one_slot>},
                      {"a cell made late", &run_random<late_cell>},
                      {"hints that do not fit inline", &run_random<long_hints>},
                      {"nested joins and two thieves", &run_random<nested>},
                      {"a thief and force", &run_random<forced>}},
                     {})
      .run(30000, 100000);
}
