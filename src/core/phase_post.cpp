// The messages of a phase: posting them, and running whom they are posted to.
#include <utility>

#include "core/phase_run.hpp"

namespace skua::detail {

using namespace core;
using managers::envelope;
using managers::party;

namespace {

/// How long a STEAL may go unanswered before it is withdrawn: between one and two of these. A thief polls for 20
/// microseconds before it sleeps, so it is about to give up by then.
constexpr std::int64_t answer_interval_ns = 25'000;

template <class Read>
void read_all(phase_mailbox& letters, Read read) {
  for (letter* l = letters.take_all(); l;) {
    letter* const next = l->next;
    read(std::move(l->content));
    delete l;
    l = next;
  }
}

}  // namespace

/// Sends, and runs everybody that is free and has been sent something, until nobody is left. Not recursive: a message
/// may cause others without end.
void phase_base::run_state::send(outbox& out) noexcept {
  if (out.empty()) return;
  parties free;
  post(out, free);
  run_all(free);
}

void phase_base::run_state::run_all(parties& free) noexcept {
  while (!free.empty()) {
    const party next = free.back();
    free.pop_back();
    run_if_free(next, free);
  }
}

/// While its sender is still held, so that what it sends next cannot overtake this.
void phase_base::run_state::post(outbox& out, parties& free) noexcept {
  for (envelope& e : out) {
    const party to = e.to;
    phase_place* const seat = to.height == 0 ? &seats_[to.index] : nullptr;
    phase_mailbox& letters = seat ? seat->letters : at(to).letters;
    switch (letters.post(new letter{nullptr, std::move(e)})) {
      case found_holder::nobody:
        if (!left_to_dedicated(to, letters)) free.push_back(to);
        break;
      case found_holder::asleep:
        seat->parked.store(0, std::memory_order_relaxed);
        host_platform::unpark(seat->parked);
        break;
      case found_holder::awake:
        break;
    }
  }
  out.clear();
}

/// A dedicated manager's thread that goes takes hold of each of its mailboxes once after it has said so.
bool phase_base::run_state::left_to_dedicated(party who, const phase_mailbox& letters) const noexcept {
  if (dedicated_ == 0 || who.height == 0) return false;
  // acquire: partner of the try_release() in manage(), if it came before this sender's post.
  letters.word().load(std::memory_order_acquire);
  return dedicated_here_[tree_.thread_of(who, dedicated_) - tree_.workers()].load(std::memory_order_relaxed);
}

void phase_base::run_state::run_if_free(party who, parties& free) noexcept {
  if (who.height == 0) {
    phase_place& seat = seats_[who.index];
    if (seat.letters.try_hold()) run_empty_seat(seat, free);
  } else {
    manager_place& m = at(who);
    if (m.letters.try_hold()) run_manager(m, free, false);
  }
}

/// The caller holds it, and does not afterwards.
void phase_base::run_state::run_manager(manager_place& m, parties& free, bool time_passes) noexcept {
  outbox out;
  if (time_passes) m.machine.time_passed(out);
  do {
    read_all(m.letters, [&](envelope e) { m.machine.receive(std::move(e), out); });
    post(out, free);
  } while (!m.letters.try_release());
}

/// Nobody sits there, or who sat there is away: gives what it has to whoever asks for it, and calls somebody for what
/// it was sent. The caller holds it, and does not afterwards.
void phase_base::run_state::run_empty_seat(phase_place& seat, parties& free) noexcept {
  outbox out;
  bool wanted = false;
  do {
    seat.own_queue->set_owner(current);
    if (stopped_.load(std::memory_order_relaxed)) seat.own_queue->clear();
    read_letters(seat, out);
    if (stopped_.load(std::memory_order_relaxed)) seat.part.queue_changed(out);
    post(out, free);
    wanted = seat.part.ended() || seat.own_queue->size() != 0;
    seat.own_queue->set_owner(nullptr);
  } while (!seat.letters.try_release());
  if (wanted) call_somebody(seat);
}

void phase_base::run_state::read_letters(phase_place& seat, outbox& out) noexcept {
  read_all(seat.letters, [&](const envelope& e) { seat.part.receive(e, out); });
  seat.part.answer(out);
}

/// By a participant that waits: its managers look after what they have asked for.
void phase_base::run_state::time_passes(phase_place& here) noexcept {
  for (party m = managers::worker_party(here.number); m != tree_.root();) {
    m = tree_.parent(m);
    if (!left_to_dedicated(m, at(m).letters)) tell_time(at(m));
  }
}

void phase_base::run_state::tell_time(manager_place& m) noexcept {
  const std::int64_t now = host_platform::now_ns();
  if (now - m.last_time.load(std::memory_order_relaxed) < answer_interval_ns || !m.letters.try_hold()) return;
  m.last_time.store(now, std::memory_order_relaxed);
  parties free;
  run_manager(m, free, true);
  run_all(free);
}

}  // namespace skua::detail
