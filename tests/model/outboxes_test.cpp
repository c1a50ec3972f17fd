// Threads add nodes to boxes of their own, and others take them box by box. No node is lost or taken twice, and a thread that sees
// nothing may sleep.
#include "core/queue/outboxes.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

struct node {
  rl::var<int> value;
  node* next;
};
using boxes = core::outboxes<P, node>;

// Each adder adds two nodes, and may take its own back. The takers end when all nodes have been taken. `Own`: an adder takes
// what lies in its own box in the end.
template <class Self, int Adders, int Takers, bool Own>
struct added : scenario<Self, Adders + Takers> {
  boxes all;
  boxes::box own[Adders];
  node nodes[Adders][2];
  atomic<int> left;

  added() { left.store(2 * Adders, std::memory_order_relaxed); }
  void thread(unsigned i) { i < Adders ? add(i) : take(); }

  void use(node* first) {
    for (; first; first = first->next) {
      AT(first->value) = AT(first->value) + 1;
      left.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  void add(unsigned i) {
    all.enlist(own[i]);
    for (node& n : nodes[i]) {
      AT(n.value) = 1;
      all.add(own[i], n);
    }
    if (Own && rl::rand(2) == 0) use(own[i].take_newest_first());
  }
  void take() {
    while (left.load(std::memory_order_relaxed) != 0) {
      while (!all.any() && left.load(std::memory_order_relaxed) != 0) P::relax();
      use(all.take_a_box([](boxes::box& b) { return b.take_oldest_first(); }));
    }
  }
  void after() {
    for (auto& of_one : nodes)
      for (node& n : of_one) RL_ASSERT(AT(n.value) == 2);
    RL_ASSERT(!all.any_now());
  }
};
struct one_adds : added<one_adds, 1, 1, false> {};
struct two_add : added<two_add, 2, 1, false> {};
struct two_take : added<two_take, 2, 2, true> {};

// The taker sleeps when it sees nothing, and a thread that adds wakes it.
struct taker_sleeps : scenario<taker_sleeps, 3> {
  boxes all;
  boxes::box own[2];
  node nodes[2];
  atomic<std::uint32_t> asleep;

  taker_sleeps() { asleep.store(0, std::memory_order_relaxed); }
  void thread(unsigned i) {
    if (i < 2) {
      all.enlist(own[i]);
      AT(nodes[i].value) = 1;
      all.add(own[i], nodes[i]);
      if (asleep.load(std::memory_order_seq_cst) == 0) return;
      asleep.store(0, std::memory_order_seq_cst);
      return P::unpark(asleep);
    }
    for (int taken = 0; taken < 2;) {
      for (node* n = all.take_a_box([](boxes::box& b) { return b.take_oldest_first(); }); n; n = n->next)
        AT(n->value) = 2, ++taken;
      if (taken == 2) return;
      asleep.store(1, std::memory_order_seq_cst);
      if (!all.any()) P::park(asleep, 1);
    }
  }
};

// Planted mistake: the word is cleared after the boxes have been looked at.
struct cleared_late : scenario<cleared_late, 2> {
  core::arrivals<P, node> box;
  atomic<int> some;
  node one;
  cleared_late() { some.store(0, std::memory_order_relaxed); }
  void thread(unsigned i) {
    if (i == 0) {
      AT(one.value) = 1;
      box.push(&one);
      if (some.load(std::memory_order_seq_cst) == 0) some.store(1, std::memory_order_seq_cst);
      return;
    }
    some.store(1, std::memory_order_seq_cst);
    const node* taken = box.take_newest_first();
    some.store(0, std::memory_order_seq_cst);
    while (!taken) {
      while (some.load(std::memory_order_seq_cst) == 0) P::relax();
      taken = box.take_newest_first();
    }
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  constexpr const char* next_is_plain = "Relacy does not see the accesses to the plain `next_` of a box.";
  return mutant_test({{"outboxes.hpp"}, {"arrivals.hpp:push", "arrivals.hpp:any"}},
                     {{"one thread adds", &run_random<one_adds>},
                      {"two threads add", &run_random<two_add>},
                      {"two threads take", &run_random<two_take>},
                      {"the taker sleeps", &run_random<taker_sleeps>}},
                     {{"take_a_box", "load", "acquire -> relaxed", 0, next_is_plain},
                      {"operator()", "store", "release -> relaxed", 0, next_is_plain}},
                     {{"cleared late", &run_random<cleared_late>}})
      .run(30000, 30000);
}
