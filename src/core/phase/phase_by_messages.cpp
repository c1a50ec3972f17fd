// A phase by messages: a participant's loop, how it waits for tasks and for the end, and how a participant gets its messages.
#include "core/phase/phase_by_messages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/locks/spin_pause.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;
using managers::envelope;

namespace core {

phase_worker::phase_worker(const managers::manager_tree& tree, std::uint32_t index,
                           std::unique_ptr<detail::phase_tasks> queue, detail::phase_base::run_state& run)
    : participant(index, std::move(queue)), seen(*own_queue, run), part(tree, index, seen) {
  mail = &letters.word();
}

void queue_of_participant::put(const managers::task_descriptor& t) try {
  if (!run_.is_stopped()) tasks_.put(t);
} catch (...) {
  run_.keep_exception();
}

managers::task_descriptor queue_of_participant::take(std::uint64_t max, std::uint64_t& taken) try {
  return tasks_.take(max, taken);
} catch (...) {
  run_.keep_exception();
  taken = 0;
  return {};
}

}  // namespace core

namespace detail {

namespace {

/// A participant that has polled for long sleeps for this time at once.
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
    add_participant(own_participants_.emplace_back(tree, i, work.make_queue(), *this));
  work.prepare(participants_.size());
}

phase_base::by_messages::~by_messages() {
  // Messages from participants that arrived or left at the very end.
  for (phase_worker& s : own_participants_) read_all(s.letters, [](const managers::envelope&) {});
}

/// The first workers that arrive run the dedicated managers.
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
  return participant_of(first).part.result();
}

void phase_base::by_messages::attach(participant& one, bool first) noexcept {
  phase_worker& here = participant_of(one);
  // Another thread reads the messages, for a moment.
  for (spin_pause<host_platform> pause; !here.letters.try_hold();) pause();
  here.own_queue->set_owner(current);
  here.stack.store(current, std::memory_order_relaxed);
  outbox out;
  if (first) {
    take_enqueued(here);
    here.awake = here.ran = true;
    here.part.begin(out);
  } else {
    here.part.arrive(out);
  }
  send(out);
}

/// Deals the first tasks to all participants. Tasks of a free participant can be taken at any time, while tasks here have to wait
/// for the end of a long body.
void phase_base::by_messages::begin(participant& here) noexcept {
  if (participants_.size() == 1 || here.tasks->size() < 2) return;
  try {
    deal_to_all(here);
  } catch (...) {
    keep_exception();
  }
  outbox out;
  for (phase_worker& s : own_participants_) {
    if (&s == &here) continue;
    s.tasks->set_owner(nullptr);
    if (s.tasks->size() != 0) s.part.prepare(out);
  }
  send(out);
  attend(here);
}

void phase_base::by_messages::deal_to_all(participant& here) {
  const std::uint64_t participants = participants_.size();
  std::uint64_t left = here.tasks->size();
  const std::uint64_t piece = std::max<std::uint64_t>(left / participants, 1);
  std::vector<phase_words> mine;
  for (std::uint64_t i = 0; left != 0; ++i) {
    std::uint64_t taken = 0;
    const phase_words one = here.tasks->take(std::min(piece, left), taken);
    left -= taken;
    if (i % participants == 0) {
      mine.push_back(one);  // not put back yet, or take() could return it again
      continue;
    }
    phase_tasks& to = *participants_[(here.number + i) % participants]->tasks;
    to.set_owner(current);
    to.put(one);
  }
  for (const phase_words& one : mine) here.tasks->put(one);
}

void phase_base::by_messages::detach(participant& one) noexcept {
  phase_worker& here = participant_of(one);
  outbox out;
  here.own_queue->set_owner(nullptr);
  here.stack.store(nullptr, std::memory_order_relaxed);
  while (!here.letters.try_release()) read_letters(here, out);  // after the end, so they need no answers
}

// ---- between two tasks

void phase_base::by_messages::attend(participant& one) noexcept {
  phase_worker& here = participant_of(one);
  outbox out;
  read_letters(here, out);
  here.part.queue_changed(out);
  here.upper = here.part.told().upper();
  here.lower = here.part.told().lower();
  const bool reported = !out.empty();
  send(out);
  // An absent participant does not ask for tasks, so it is called. One that is about to leave may be missed; it is
  // called when this queue has doubled or halved, or when it is sent a message.
  if (reported && here.tasks->size() > 1 && away_.any()) call_back_nearest(here);
}

bool phase_base::by_messages::next(participant& one) noexcept {
  phase_worker& here = participant_of(one);
  attend(here);
  if (here.awake) {
    // Must come before block(): for the managers, a blocked worker has only the tasks that they send it.
    if (!is_stopped()) take_enqueued(here);
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
      if (is_stopped()) continue;  // discard the tasks before waiting or leaving
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
      leave_worker(here);
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
  // A sender is about to clear it.
  for (spin_pause<host_platform> pause; here.parked.load(std::memory_order_relaxed) == 1;) pause();
}

/// Leaves the worker to other tasks until there is something to do. Meanwhile the threads that post to this participant run
/// it.
void phase_base::by_messages::leave_worker(phase_worker& here) noexcept {
  outbox out;
  const auto farewell = [&] {
    here.part.leave(out);
    send(out);
    here.own_queue->set_owner(nullptr);
  };
  away_.leave_mailbox(here.away, here.letters, farewell, [&] { wait_until_called(here); });
  here.own_queue->set_owner(current);
  here.part.arrive(out);
  send(out);
}

// ---- messages to a participant

bool phase_base::by_messages::post_to_worker(envelope message) noexcept {
  phase_worker& to = own_participants_[message.to.index];
  switch (to.letters.post(new letter{nullptr, std::move(message)})) {
    case found_holder::none:
      return true;
    case found_holder::asleep:
      to.parked.store(0, std::memory_order_relaxed);
      host_platform::unpark(to.parked);
      break;
    case found_holder::awake:
      break;
  }
  return false;
}

/// For a free participant, or one that is away: gives its tasks to the participants that ask,
/// and calls a participant for the tasks that it was sent.
void phase_base::by_messages::run_worker(std::uint32_t worker, parties& free) noexcept {
  phase_worker& to = own_participants_[worker];
  outbox out;
  const auto read = [&] {
    to.own_queue->set_owner(current);
    if (is_stopped()) to.own_queue->clear();
    read_letters(to, out);
    if (is_stopped()) to.part.queue_changed(out);
    post(out, free);
    const bool wanted = to.part.ended() || to.own_queue->size() != 0;
    to.own_queue->set_owner(nullptr);
    return wanted;
  };
  if (read_for_absent(to.letters, read)) call_back_nearest(to);
}

void phase_base::by_messages::read_letters(phase_worker& to, outbox& out) noexcept {
  read_all(to.letters, [&](const envelope& e) { to.part.receive(e, out); });
  to.part.answer(out);
}

}  // namespace detail
}  // namespace skua
