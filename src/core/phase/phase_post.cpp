// The messages of a phase: how a seat gets them, and who runs it when nobody sits there.
#include <utility>

#include "core/phase/phase_by_messages.hpp"

namespace skua::detail {

using namespace core;
using managers::envelope;

bool phase_base::by_messages::post_to_worker(envelope message) noexcept {
  phase_worker& seat = own_seats_[message.to.index];
  switch (seat.letters.post(new letter{nullptr, std::move(message)})) {
    case found_holder::none:
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

/// Nobody sits there, or who sat there is away: gives what it has to whoever asks for it, and calls somebody for what
/// it was sent.
void phase_base::by_messages::run_worker(std::uint32_t worker, parties& free) noexcept {
  phase_worker& seat = own_seats_[worker];
  if (!seat.letters.try_hold()) return;
  outbox out;
  bool wanted = false;
  do {
    seat.own_queue->set_owner(current);
    if (is_stopped()) seat.own_queue->clear();
    read_letters(seat, out);
    if (is_stopped()) seat.part.queue_changed(out);
    post(out, free);
    wanted = seat.part.ended() || seat.own_queue->size() != 0;
    seat.own_queue->set_owner(nullptr);
  } while (!seat.letters.try_release());
  if (wanted) call_one(seat);
}

void phase_base::by_messages::read_letters(phase_worker& seat, outbox& out) noexcept {
  read_all(seat.letters, [&](const envelope& e) { seat.part.receive(e, out); });
  seat.part.answer(out);
}

}  // namespace skua::detail
