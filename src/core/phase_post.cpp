// The messages of a phase: how a seat gets them, and who runs it when nobody sits there.
#include <utility>

#include "core/phase_run.hpp"

namespace skua::detail {

using namespace core;
using managers::envelope;

bool phase_base::run_state::post_to_worker(envelope message) noexcept {
  phase_place& seat = seats_[message.to.index];
  switch (seat.letters.post(new letter{nullptr, std::move(message)})) {
    case found_holder::nobody:
      return true;
    case found_holder::asleep:
      seat.parked.store(0, std::memory_order_relaxed);
      host_platform::unpark(seat.parked);
      break;
    case found_holder::awake:
      break;
  }
  return false;
}

/// A dedicated manager's thread that goes takes hold of each of its mailboxes once after it has said so.
bool phase_base::run_state::left_to_dedicated(const manager_place& m) const noexcept {
  if (dedicated_ == 0) return false;
  // acquire: partner of the try_release() in manage(), if it came before this sender's post.
  m.letters.word().load(std::memory_order_acquire);
  return dedicated_here_[tree.thread_of(m.self, dedicated_) - tree.workers()].load(std::memory_order_relaxed);
}

/// Nobody sits there, or who sat there is away: gives what it has to whoever asks for it, and calls somebody for what
/// it was sent.
void phase_base::run_state::run_worker(std::uint32_t worker, parties& free) noexcept {
  phase_place& seat = seats_[worker];
  if (!seat.letters.try_hold()) return;
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

}  // namespace skua::detail
