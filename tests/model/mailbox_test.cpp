// A mailbox: each message must be processed exactly once, by one thread at a time, in the order of its sender.
#include "core/phase/mailbox.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using core::found_holder;

struct letter {
  letter* next;
  rl::var<int> number;
};
using box = core::mailbox<P, letter>;

// State that the senders process themselves, like manager_posts::run_if_free() in src/core/phase/manager_posts.cpp.
template <class Self, int Senders, int Each>
struct passive : scenario<Self, Senders> {
  box mail;
  letter letters[Senders][Each];
  rl::var<int> last[Senders];  // the state: the last message of each sender that was read
  rl::var<int> read;

  passive() {
    for (auto& l : last) AT(l) = 0;
    AT(read) = 0;
  }
  void thread(unsigned i) {
    for (int n = 0; n < Each; ++n) {
      AT(letters[i][n].number) = static_cast<int>(i) * 10 + n + 1;
      if (mail.post(&letters[i][n]) == found_holder::none) run_if_free();
      if (rl::rand(4) == 0) run_if_free();  // for another reason than a message, such as elapsed time
    }
  }
  void run_if_free() {
    if (!mail.try_hold()) return;
    AT(read) = AT(read) + 0;
    do {
      for (letter* l = mail.take_all(); l;) {
        letter* const next = l->next;
        act_on(AT(l->number));
        l = next;
      }
    } while (!mail.try_release());
  }
  void act_on(int number) {
    const int from = number / 10;
    RL_ASSERT(AT(last[from]) + 1 == number % 10);
    AT(last[from]) = number % 10;
    AT(read) = AT(read) + 1;
  }
  void after() {
    RL_ASSERT(!mail.any());
    RL_ASSERT(AT(read) == Senders * Each);
  }
};
struct two_senders : passive<two_senders, 2, 2> {};
struct three_senders : passive<three_senders, 3, 1> {};

// A holder that sleeps until messages arrive, like a participant. Then it leaves, and the senders take over.
struct sleeper : scenario<sleeper, 3> {
  box mail;
  letter letters[2];
  atomic<std::uint32_t> parked;
  rl::var<int> read;
  // Stands for `parked`. Relacy never lets the holder's store of 1 overwrite a sender's later store of 0, but hardware does
  // unless the sender has synchronized with the holder.
  rl::var<int> stored_before_sleep;

  sleeper() {
    parked.store(0, std::memory_order_relaxed);
    AT(read) = 0;
    if (!mail.try_hold()) RL_ASSERT(false);
  }
  void thread(unsigned i) { i == 0 ? holder() : sender(static_cast<int>(i) - 1); }
  void drain() {
    for (letter* l = mail.take_all(); l; l = l->next) {
      RL_ASSERT(AT(l->number) == 7);
      AT(read) = AT(read) + 1;
    }
  }
  void holder() {
    AT(stored_before_sleep) = 1;
    while (AT(read) == 0) {
      parked.store(1, std::memory_order_relaxed);
      if (mail.fall_asleep()) {
        if (rl::rand(2) == 0 && mail.wake_by_itself()) continue;  // it has slept long enough
        while (parked.load(std::memory_order_relaxed) == 1) P::park(parked, 1);
      }
      drain();
    }
    while (!mail.try_release()) drain();
  }
  void sender(int i) {
    AT(letters[i].number) = 7;
    switch (mail.post(&letters[i])) {
      case found_holder::asleep:
        RL_ASSERT(AT(stored_before_sleep) == 1);
        parked.store(0, std::memory_order_relaxed);
        P::unpark(parked);
        break;
      case found_holder::none:
        if (!mail.try_hold()) break;
        do drain();
        while (!mail.try_release());
        break;
      case found_holder::awake:
        break;
    }
  }
  void after() {
    RL_ASSERT(!mail.any());
    RL_ASSERT(AT(read) == 2);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"mailbox.hpp"}, {}},
                     {{"two senders", &run_random<two_senders>},
                      {"three senders", &run_random<three_senders>},
                      {"a sleeper that leaves", &run_random<sleeper>}},
                     {})
      .run(50000, 50000);
}
