// A phase by messages: a participant's loop, and how it waits for tasks and for the end.
#include "core/phase/phase_by_messages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

namespace core {

phase_worker::phase_worker(const managers::manager_tree& tree, std::uint32_t index,
                           std::unique_ptr<detail::phase_tasks> queue, const std::atomic<bool>& stopped)
    : participant(index, std::move(queue)), seen(*own_queue, stopped), part(tree, index, seen) {
  mail = &letters.word();
}

}  // namespace core

namespace detail {

namespace {

/// A participant that has polled for long sleeps in pieces of this.
constexpr std::int64_t nap_us = 50;

std::uint32_t dedicated_of(const phase_options& options, std::size_t workers) {
  return static_cast<std::uint32_t>(
      std::min(options.dedicated_managers, static_cast<std::int64_t>(workers) - 1));
}

managers::manager_options how_managers_match(const phase_options& options) {
  return {.amount = options.steal == amount::one ? managers::steal_amount::one : managers::steal_amount::half,
          .underflow = static_cast<std::uint64_t>(options.underflow)};
}

}  // namespace

phase_base::by_messages::by_messages(const phase_options& options, phase_work& work,
                                     std::atomic<bool>& stopped, std::size_t workers)
    : run_state(work, stopped),
      manager_posts(static_cast<std::uint32_t>(workers) - dedicated_of(options, workers),
                    static_cast<std::uint32_t>(options.radix), how_managers_match(options), this,
                    dedicated_of(options, workers)) {
  for (std::uint32_t i = 0; i < tree.workers(); ++i)
    add_seat(own_seats_.emplace_back(tree, i, work.make_queue(), stopped));
  work.prepare(seats_.size());
}

phase_base::by_messages::~by_messages() {
  // The words of those that came or left at the very end.
  for (phase_worker& s : own_seats_) read_all(s.letters, [](const managers::envelope&) {});
}

/// The first that come are the dedicated managers.
bool phase_base::by_messages::serves() noexcept {
  if (dedicated_started_.load(std::memory_order_relaxed) >= dedicated()) return false;
  const std::uint32_t which = dedicated_started_.fetch_add(1, std::memory_order_relaxed);
  if (which >= dedicated()) return false;
  serve(which, [this](std::int64_t quiet_ns) { return !is_over() && quiet_ns < phase_leave_after_ns; });
  return true;
}

bool phase_base::by_messages::ended(const participant& here) const noexcept {
  return static_cast<const phase_worker&>(here).part.ended();
}

std::shared_ptr<void> phase_base::by_messages::result(participant& first) noexcept {
  return seat_of(first).part.result();
}

void phase_base::by_messages::attach(participant& one, bool first) noexcept {
  phase_worker& here = seat_of(one);
  while (!here.letters.try_hold()) host_platform::relax();  // somebody runs it, for a moment
  here.own_queue->set_owner(current);
  here.stack.store(current, std::memory_order_relaxed);
  outbox out;
  if (first) {
    work_.take_enqueued(*here.tasks);
    here.awake = here.ran = true;
    here.part.begin(out);
  } else {
    here.part.arrive(out);
  }
  send(out);
}

/// The first tasks go round among all seats: at an empty one anybody can have them at any time, while what lies here
/// waits for the end of a long body.
void phase_base::by_messages::begin(participant& here) noexcept {
  const std::uint64_t seats = seats_.size();
  std::uint64_t left = here.tasks->size();
  if (seats == 1 || left < 2) return;
  const std::uint64_t piece = std::max<std::uint64_t>(left / seats, 1);
  outbox out;
  std::vector<phase_words> mine;
  for (std::uint64_t i = 0; left != 0; ++i) {
    std::uint64_t taken = 0;
    const phase_words one = here.tasks->take(std::min(piece, left), taken);
    left -= taken;
    if (i % seats == 0) {
      mine.push_back(one);  // not put back yet, or it could be next again
      continue;
    }
    phase_tasks& to = *seats_[(here.number + i) % seats]->tasks;
    to.set_owner(current);
    to.put(one);
  }
  for (const phase_words& one : mine) here.tasks->put(one);
  for (phase_worker& s : own_seats_) {
    if (&s == &here) continue;
    s.tasks->set_owner(nullptr);
    if (s.tasks->size() != 0) s.part.prepare(out);
  }
  send(out);
  attend(here);
}

void phase_base::by_messages::stand_up(participant& one) noexcept {
  phase_worker& here = seat_of(one);
  outbox out;
  here.own_queue->set_owner(nullptr);
  here.stack.store(nullptr, std::memory_order_relaxed);
  while (!here.letters.try_release()) read_letters(here, out);  // after the end: nothing follows from it
}

// ---- between two tasks

void phase_base::by_messages::attend(participant& one) noexcept {
  phase_worker& here = seat_of(one);
  outbox out;
  read_letters(here, out);
  here.part.queue_changed(out);
  here.upper = here.part.told().upper();
  here.lower = here.part.told().lower();
  const bool told = !out.empty();
  send(out);
  // Those who are away would be asked for if they were here. One that is about to go may be missed; then it is called
  // when this queue has doubled or halved, or when it is sent something.
  if (told && here.tasks->size() > 1 && away_.any()) call_one(here);
}

bool phase_base::by_messages::next(participant& one) noexcept {
  phase_worker& here = seat_of(one);
  attend(here);
  if (here.awake) {
    // Only now: the managers count on a blocked worker having nothing but what it is sent.
    if (!is_stopped()) work_.take_enqueued(*here.tasks);
    discard(here);
    if (here.tasks->size() != 0) {
      attend(here);
      return true;
    }
    block(here);
  }
  return wait_for_tasks(here);
}

void phase_base::by_messages::block(phase_worker& here) noexcept {
  outbox out;
  here.awake = false;
  here.part.block(take_part(here), out);
  send(out);
}

std::shared_ptr<void> phase_base::by_messages::combine(std::shared_ptr<void> a, std::shared_ptr<void> b) {
  return combine_parts(a, std::move(b));
}

// ---- waiting

bool phase_base::by_messages::wait_for_tasks(phase_worker& here) noexcept {
  std::int64_t start = host_platform::now_ns();
  for (;;) {
    discard(here);
    attend(here);
    if (here.part.ended()) {
      over_.store(true, std::memory_order_relaxed);
      return false;
    }
    if (here.tasks->size() != 0) {
      if (is_stopped()) continue;  // with what is to be discarded nobody waits or goes away
      break;
    }
    const std::int64_t waited = host_platform::now_ns() - start;
    if (waited < phase_poll_ns) {
      for (int i = 0; i < 16; ++i) host_platform::relax();
      continue;
    }
    time_passes(here.number);
    if (waited < phase_leave_after_ns) {
      sleep(here);
    } else {
      go_away(here);
      start = host_platform::now_ns();
    }
  }
  here.part.go_on();
  here.awake = here.ran = true;
  return true;
}

void phase_base::by_messages::sleep(phase_worker& here) noexcept {
  here.parked.store(1, std::memory_order_relaxed);
  if (!here.letters.fall_asleep()) return;
  host_platform::park(here.parked, 1, nap_us);
  if (here.letters.wake_by_itself()) return;
  while (here.parked.load(std::memory_order_relaxed) == 1) host_platform::relax();  // a post is about to
}

/// Leaves the worker to other tasks until there is something to do. Meanwhile whoever posts to this seat runs it.
void phase_base::by_messages::go_away(phase_worker& here) noexcept {
  outbox out;
  away_.say_away(here.away);
  here.part.leave(out);
  send(out);
  here.own_queue->set_owner(nullptr);
  // After try_release() whoever runs this seat sees that its participant is away.
  if (here.letters.try_release()) {
    wait_until_called(here);
    while (!here.letters.try_hold()) host_platform::relax();
  } else {
    away_.unsay_away(here.away);
  }
  here.own_queue->set_owner(current);
  here.part.arrive(out);
  send(out);
}

}  // namespace detail
}  // namespace skua
