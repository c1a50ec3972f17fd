// The reader of a mailbox ends. Each letter must be read once, either by the reader or by a sender that finds that the
// reader has ended.
#include "core/phase/ending.hpp"
#include "core/phase/mailbox.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

struct letter {
  letter* next;
  rl::var<int> number;
};

// Planted mistakes.
enum class mistake { none, sender_does_not_look, reader_looks_first };

// Thread 0 is a worker whose scheduler stops. The other threads send one task each. The code is that of management::ends()
// and post_to_worker().
template <class Self, int Senders, mistake Planted = mistake::none>
struct ends_beside_senders : scenario<Self, Senders + 1> {
  core::mailbox<P, letter> mail;
  core::ending<P> end;
  letter letters[Senders];
  rl::var<int> read;  // belongs to the holder of the mailbox

  ends_beside_senders() { AT(read) = 0; }
  void thread(unsigned i) {
    if (i != 0) return post(letters[i - 1]);
    do read_letters();
    while (!ends());
  }
  void after() { RL_ASSERT(AT(read) == Senders); }

  bool ends() {
    const bool any = mail.any();
    return end.ends([&] { return Planted == mistake::reader_looks_first ? any : mail.any(); });
  }
  void post(letter& one) {
    AT(one.number) = 7;
    mail.post(&one);
    if (Planted != mistake::sender_does_not_look && end.has_ended()) read_letters();
  }
  // management::act_at
  void read_letters() {
    if (!mail.try_hold()) return;
    do
      for (letter* l = mail.take_all(); l; l = l->next) {
        RL_ASSERT(AT(l->number) == 7);
        AT(read) = AT(read) + 1;
      }
    while (!mail.try_release());
  }
};
struct one_sender : ends_beside_senders<one_sender, 1> {};
struct two_senders : ends_beside_senders<two_senders, 2> {};
struct does_not_look : ends_beside_senders<does_not_look, 1, mistake::sender_does_not_look> {};
struct looks_first : ends_beside_senders<looks_first, 1, mistake::reader_looks_first> {};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"ending.hpp"}, {}},
                     {{"one sender", &run_random<one_sender>}, {"two senders", &run_random<two_senders>}}, {},
                     {{"a sender does not look", &run_random<does_not_look>},
                      {"the reader looks first", &run_random<looks_first>}})
      .run(30000, 30000);
}
