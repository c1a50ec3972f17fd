// Calls to an owner: it must read a message at its next push at the latest, and must not sleep while a message is unread.
#include <memory>

#include "core/idle/sleepers.hpp"
#include "core/phase/mailbox.hpp"
#include "core/phase/summons.hpp"
#include "core/queue/queue_operations.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;
using calls = core::summons<P>;

struct letter {
  letter* next;
  rl::var<int> number;
};

// A worker whose owner reads messages, like management::attend().
template <class Self, int Senders>
struct attended : scenario<Self, Senders + 1> {
  std::unique_ptr<queue> q{new queue};
  slot slots[5];
  core::mailbox<P, letter> mail;
  calls called;
  letter letters[Senders];
  rl::var<int> read;  // belongs to the holder of the mailbox

  attended() {
    core::initialise<P>(*q, slots, 4);
    AT(read) = 0;
  }
  void push() {
    slot* const s = q->top.load(std::memory_order_relaxed);
    if (q->push(s, this, this)) attend();
  }
  void pop() { q->pop(q->top.load(std::memory_order_relaxed) - 1); }
  void attend() {
    for (;;) {
      called.answer();
      const bool held = read_letters();
      if (!held) called.call();
      calls::open(*q);
      if (!held) core::request<P>(*q);
      if (!held || !called.called()) return;
    }
  }
  bool read_letters() {
    if (!mail.try_hold()) return false;
    do
      for (letter* l = mail.take_all(); l; l = l->next) {
        RL_ASSERT(AT(l->number) == 7);
        AT(read) = AT(read) + 1;
      }
    while (!mail.try_release());
    return true;
  }
  // management::call()
  void post(int i) {
    AT(letters[i].number) = 7;
    mail.post(&letters[i]);
    called.call();
    calls::lower(*q);
  }
};

// After all threads have ended, one more push reads the remaining messages.
template <class Self, int Senders>
struct pushing : attended<Self, Senders> {
  void thread(unsigned i) {
    if (i != 0) return this->post(static_cast<int>(i) - 1);
    this->attend();
    this->push();
    this->pop();
    this->push();
  }
  void after() {
    this->push();
    RL_ASSERT(AT(this->read) == Senders);
  }
};
struct one_sender : pushing<one_sender, 1> {};
struct two_senders : pushing<two_senders, 2> {};

// Another thread takes messages out meanwhile. If the owner finds the mailbox held, it reads the messages later.
struct with_a_rescuer : attended<with_a_rescuer, 2> {
  void thread(unsigned i) {
    if (i == 0) {
      push();
      pop();
      push();
    } else if (i == 1) {
      post(0);
    } else if (read_letters()) {
      called.call();
      calls::lower(*q);
    }
  }
  void after() {
    push();
    RL_ASSERT(AT(read) == 1);
    RL_ASSERT(!mail.any());
  }
};

// The owner parks like idle_search::sleep().
struct parking : attended<parking, 1> {
  core::sleepers<P> idle{1};
  atomic<int> woken;
  parking() {
    woken.store(0, std::memory_order_relaxed);
    idle.begin_search(0);
  }
  void thread(unsigned i) {
    if (i == 1) {
      post(0);
      P::light_fence();
      if (idle.is_asleep(0)) idle.wake(0);
      return;
    }
    idle.park(0);
    P::heavy_fence();
    P::heavy_fence();
    if (called.called()) {
      idle.unpark(0);
    } else {
      for (std::uint32_t state;
           (state = idle.word(0).load(std::memory_order_acquire)) != core::sleepers<P>::awake;)
        P::park(idle.word(0), state);
    }
    called.answer();
    read_letters();
  }
  void after() { RL_ASSERT(AT(read) == 1); }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test(
             {{"summons.hpp"}, {}},
             {{"one sender", &run_random<one_sender>},
              {"two senders", &run_random<two_senders>},
              {"a rescuer", &run_random<with_a_rescuer>},
              {"parking", &run_random<parking>}},
             {{"answer", "exchange", "acquire -> relaxed", 1,
               "It orders the read-modify-write of try_hold() after it; Relacy lets none overtake another."}})
      .run(30000, 30000);
}
