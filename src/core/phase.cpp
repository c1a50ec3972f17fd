// Phases: a participant's loop, and how it waits, leaves its worker and comes back.
#include <skua/phase.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include "core/phase_run.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

namespace core {

phase_place::phase_place(const managers::manager_tree& tree, std::uint32_t index,
                         std::unique_ptr<detail::phase_tasks> queue, const std::atomic<bool>& stopped)
    : own_queue(std::move(queue)), seen(*own_queue, stopped), part(tree, index, seen) {
  tasks = own_queue.get();
  number = index;
  mail = &letters.word();
}

}  // namespace core

namespace detail {

constinit thread_local phase_cache last_phase_seat{0, nullptr, nullptr};

namespace {

/// A participant without tasks polls for so long, as a message to a running one is answered within microseconds;
constexpr std::int64_t poll_ns = 20'000;
/// then its thread sleeps, in pieces of this,
constexpr std::int64_t nap_us = 50;
/// and then it leaves its worker to other tasks. Longer than a switch there and back, and than most gaps between
/// rounds.
constexpr std::int64_t leave_after_ns = 1'000'000;

std::atomic<std::uint64_t> runs_begun{0};

std::string between(const char* what, std::int64_t given, std::int64_t least, std::int64_t most) {
  return std::string("phase_options::") + what + " is " + std::to_string(given) +
         "; allowed: " + std::to_string(least) + " to " + std::to_string(most) +
         "; nearest: " + std::to_string(std::clamp(given, least, most));
}

void check(const phase_options& options) {
  constexpr std::int64_t least = managers::manager_tree::least_radix;
  constexpr std::int64_t most = managers::manager_tree::most_radix;
  if (options.radix < least || options.radix > most)
    throw bad_input(between("radix", options.radix, least, most));
  constexpr std::int64_t most_dedicated = 1024;
  if (options.dedicated_managers < 0 || options.dedicated_managers > most_dedicated)
    throw bad_input(between("dedicated_managers", options.dedicated_managers, 0, most_dedicated));
  constexpr std::int64_t most_underflow = 1'000'000;
  if (options.underflow < 1 || options.underflow > most_underflow)
    throw bad_input(between("underflow", options.underflow, 1, most_underflow));
}

/// A seat's participant is called back.
struct call_back_event final : awaited_event {
  explicit call_back_event(phase_place& s) : seat(s) {}
  bool done() override { return seat.called.done(); }
  bool wait_by(waiter& w) override { return seat.called.wait_by(&w); }
  stolen help(core::stack&) override { return {}; }
  phase_place& seat;
};

}  // namespace

// ---- the interface

phase_base::phase_base(const phase_options& options) : options_(std::make_unique<phase_options>(options)) {
  check(options);
}
phase_base::~phase_base() = default;

std::shared_ptr<void> phase_base::run_phase(phase_work& work) {
  std::shared_ptr<void> result;
  on_worker([&](worker&) {
    if (run_) throw std::logic_error("skua: phase::run() of a phase that runs already");
    stopped_.store(false, std::memory_order_relaxed);
    run_state run(*options_, work, stopped_, current_stack()->seat_pool->workers());
    result = run.run(*this);
  });
  return result;
}

phase_seat* phase_base::find_seat() const noexcept {
  if (!run_ || !current) return nullptr;
  phase_seat* const found = run_->seat_of(current);
  if (found) last_phase_seat = {run_number_, current, found};
  return found;
}

void phase_base::attend(phase_seat& here) noexcept { run_->attend(static_cast<phase_place&>(here)); }
bool phase_base::next(phase_seat& here) noexcept { return run_->next(static_cast<phase_place&>(here)); }

// ---- a run

namespace {

std::uint32_t dedicated_of(const phase_options& options, std::size_t workers) {
  return static_cast<std::uint32_t>(
      std::min(options.dedicated_managers, static_cast<std::int64_t>(workers) - 1));
}

managers::manager_options how_managers_match(const phase_options& options) {
  return {.amount = options.steal == amount::one ? managers::steal_amount::one : managers::steal_amount::half,
          .underflow = static_cast<std::uint64_t>(options.underflow)};
}

}  // namespace

phase_base::run_state::run_state(const phase_options& options, phase_work& work, std::atomic<bool>& stopped,
                                 std::size_t workers)
    : manager_posts(static_cast<std::uint32_t>(workers) - dedicated_of(options, workers),
                    static_cast<std::uint32_t>(options.radix), how_managers_match(options), this),
      work_(work),
      stopped_(stopped),
      dedicated_(dedicated_of(options, workers)),
      dedicated_here_(dedicated_) {
  for (std::uint32_t i = 0; i < tree.workers(); ++i) seats_.emplace_back(tree, i, work.make_queue(), stopped);
  work.prepare(seats_.size());
}

phase_base::run_state::~run_state() {
  // The words of those that came or left at the very end.
  for (phase_place& s : seats_) read_all(s.letters, [](const managers::envelope&) {});
}

std::shared_ptr<void> phase_base::run_state::run(phase_base& of) {
  phase_place& mine = *choose_seat();
  number_ = runs_begun.fetch_add(1, std::memory_order_relaxed);
  of.run_ = this;
  of.run_number_ = number_;
  sit_down(mine, true);  // before the others may come: the root knows that there is work
  deal(mine);
  {
    task_group others;
    try {
      for (std::uint32_t i = 1; i < tree.workers() + dedicated_; ++i) others.run([this] { come(); });
    } catch (const std::bad_alloc&) {
      // Then there are fewer.
    }
    participate(mine);
    others.wait();
  }
  of.run_number_ = ~std::uint64_t{0};
  of.run_ = nullptr;
  work_.discard_enqueued();  // of a stopped phase; else there is nothing
  if (thrown_) std::rethrow_exception(thrown_);
  return mine.part.result();
}

/// A further participant, when a worker has time for it.
void phase_base::run_state::come() noexcept {
  if (over_.load(std::memory_order_relaxed) || sits_below()) return;
  const std::uint32_t which = dedicated_started_.load(std::memory_order_relaxed) < dedicated_
                                  ? dedicated_started_.fetch_add(1, std::memory_order_relaxed)
                                  : dedicated_;
  if (which < dedicated_) return manage(which);
  phase_place* const mine = choose_seat();
  if (!mine) return;
  sit_down(*mine, false);
  participate(*mine);
}

/// On top of another participant's body, which could not go on before this one ends.
bool phase_base::run_state::sits_below() noexcept { return seat_of(current) != nullptr; }

phase_place* phase_base::run_state::seat_of(const worker* stack) noexcept {
  for (phase_place& s : seats_)
    if (s.stack.load(std::memory_order_relaxed) == stack) return &s;
  return nullptr;
}

/// The worker's own seat, so that neighbours in the tree are neighbours in the machine, else any.
phase_place* phase_base::run_state::choose_seat() noexcept {
  const auto wanted = static_cast<std::uint32_t>(std::max(worker_index(), 0)) % tree.workers();
  for (std::uint32_t i = 0; i < tree.workers(); ++i) {
    phase_place& s = seats_[(wanted + i) % tree.workers()];
    if (!s.taken.exchange(true, std::memory_order_relaxed)) return &s;
  }
  return nullptr;
}

void phase_base::run_state::sit_down(phase_place& here, bool first) noexcept {
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
void phase_base::run_state::deal(phase_place& here) noexcept {
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
    phase_tasks& to = *seats_[(here.number + i) % seats].tasks;
    to.set_owner(current);
    to.put(one);
  }
  for (const phase_words& one : mine) here.tasks->put(one);
  for (phase_place& s : seats_) {
    if (&s == &here) continue;
    s.tasks->set_owner(nullptr);
    if (s.tasks->size() != 0) s.part.prepare(out);
  }
  send(out);
  attend(here);
}

void phase_base::run_state::stand_up(phase_place& here) noexcept {
  outbox out;
  here.own_queue->set_owner(nullptr);
  here.stack.store(nullptr, std::memory_order_relaxed);
  while (!here.letters.try_release()) read_letters(here, out);  // after the end: nothing follows from it
}

void phase_base::run_state::participate(phase_place& here) noexcept {
  try {
    work_.participate(here);
  } catch (...) {
    keep_exception();
  }
  // A body that returned early has stopped the phase; the others are told when they look.
  if (!here.part.ended()) stopped_.store(true, std::memory_order_relaxed);
  while (!here.part.ended()) next(here);
  stand_up(here);
}

void phase_base::run_state::keep_exception() noexcept {
  const std::lock_guard lock(exception_mutex_);
  if (!thrown_) thrown_ = std::current_exception();
  stopped_.store(true, std::memory_order_relaxed);
}

// ---- between two tasks

void phase_base::run_state::attend(phase_place& here) noexcept {
  outbox out;
  read_letters(here, out);
  here.part.queue_changed(out);
  here.upper = here.part.told().upper();
  here.lower = here.part.told().lower();
  const bool told = !out.empty();
  send(out);
  // Those who are away would be asked for if they were here. One that is about to go may be missed; then it is called
  // when this queue has doubled or halved, or when it is sent something.
  if (told && here.tasks->size() > 1 && away_.load(std::memory_order_relaxed) != 0) call_somebody(here);
}

bool phase_base::run_state::next(phase_place& here) noexcept {
  attend(here);
  if (here.awake) {
    // Only now: the managers count on a blocked worker having nothing but what it is sent.
    if (!stopped_.load(std::memory_order_relaxed)) work_.take_enqueued(*here.tasks);
    discard(here);
    if (here.tasks->size() != 0) {
      attend(here);
      return true;
    }
    block(here);
  }
  return wait_for_tasks(here);
}

void phase_base::run_state::discard(phase_place& here) noexcept {
  if (!stopped_.load(std::memory_order_relaxed)) return;
  here.tasks->clear();
  work_.discard_enqueued();
}

void phase_base::run_state::block(phase_place& here) noexcept {
  outbox out;
  here.awake = false;
  managers::rider part;
  try {
    if (std::exchange(here.ran, false)) part = work_.take_part(here.number);
  } catch (...) {
    keep_exception();
  }
  here.part.block(std::move(part), out);
  send(out);
}

std::shared_ptr<void> phase_base::run_state::combine(std::shared_ptr<void> a, std::shared_ptr<void> b) {
  try {
    return work_.combine(a, std::move(b));
  } catch (...) {
    keep_exception();
    return a;
  }
}

// ---- waiting

bool phase_base::run_state::wait_for_tasks(phase_place& here) noexcept {
  std::int64_t start = host_platform::now_ns();
  for (;;) {
    discard(here);
    attend(here);
    if (here.part.ended()) {
      over_.store(true, std::memory_order_relaxed);
      return false;
    }
    if (here.tasks->size() != 0 && !stopped_.load(std::memory_order_relaxed)) break;
    const std::int64_t waited = host_platform::now_ns() - start;
    if (waited < poll_ns) {
      for (int i = 0; i < 16; ++i) host_platform::relax();
      continue;
    }
    time_passes(here.number);
    if (waited < leave_after_ns) {
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

void phase_base::run_state::sleep(phase_place& here) noexcept {
  here.parked.store(1, std::memory_order_relaxed);
  if (!here.letters.fall_asleep()) return;
  host_platform::park(here.parked, 1, nap_us);
  if (here.letters.wake_by_itself()) return;
  while (here.parked.load(std::memory_order_relaxed) == 1) host_platform::relax();  // a post is about to
}

/// Leaves the worker to other tasks until there is something to do. Meanwhile whoever posts to this seat runs it.
void phase_base::run_state::go_away(phase_place& here) noexcept {
  outbox out;
  here.called.reset();
  away_.fetch_add(1, std::memory_order_relaxed);
  here.away.store(true, std::memory_order_relaxed);
  here.part.leave(out);
  send(out);
  here.own_queue->set_owner(nullptr);
  // After try_release() whoever runs this seat sees that its participant is away.
  if (here.letters.try_release()) {
    call_back_event event(here);
    wait_for(*current_stack(), event);
    while (!here.letters.try_hold()) host_platform::relax();
  } else if (here.away.exchange(false, std::memory_order_relaxed)) {
    away_.fetch_sub(1, std::memory_order_relaxed);
  } else {
    while (!here.called.done()) host_platform::relax();  // somebody calls it right now
  }
  here.own_queue->set_owner(current);
  here.part.arrive(out);
  send(out);
}

bool phase_base::run_state::call_back(phase_place& one) noexcept {
  if (!one.away.load(std::memory_order_relaxed) || !one.away.exchange(false, std::memory_order_relaxed))
    return false;
  away_.fetch_sub(1, std::memory_order_relaxed);
  if (waiter* const waiting = one.called.finish()) wake_anybody(*waiting);
  return true;
}

/// Its own participant if that is away, else any that is. Where nobody is, those who are here will ask for the tasks.
void phase_base::run_state::call_somebody(phase_place& near) noexcept {
  for (std::uint32_t i = 0; i < tree.workers(); ++i)
    if (call_back(seats_[(near.number + i) % tree.workers()])) return;
}

// ---- dedicated managers

/// Runs managers and nothing else, while there is anything for them: after a while without messages whoever posts runs
/// them again, so that the phase does not depend on this worker.
void phase_base::run_state::manage(std::uint32_t which) noexcept {
  const auto for_mine = [&](auto&& f) {
    for (manager_place& m : every_manager)
      if (tree.thread_of(m.self, dedicated_) == tree.workers() + which) f(m);
  };
  dedicated_here_[which].store(true, std::memory_order_relaxed);
  std::int64_t quiet_since = host_platform::now_ns();
  while (!over_.load(std::memory_order_relaxed) && host_platform::now_ns() - quiet_since < leave_after_ns) {
    for_mine([&](manager_place& m) {
      if (m.letters.any()) {
        parties free{m.self};
        run_all(free);
        quiet_since = host_platform::now_ns();
      } else {
        tell_time(m);
      }
    });
    host_platform::yield_thread();
  }
  dedicated_here_[which].store(false, std::memory_order_relaxed);
  // Whoever posted before this takes hold of a mailbox relied on it; whoever posts after it sees that nobody is here.
  for_mine([&](manager_place& m) {
    while (!m.letters.try_hold()) host_platform::relax();
    parties free;
    run_manager(m, free, false);
    run_all(free);
  });
}

}  // namespace detail
}  // namespace skua
