#include "core/phase/phase_by_chase_lev.hpp"

#include <algorithm>

#include "core/platform/costs.hpp"
#include "core/scheduler_core.hpp"

namespace skua::detail {

using namespace core;

phase_base::by_chase_lev::by_chase_lev(const phase_options& options, phase_work& work,
                                       std::atomic<bool>& stopped, const scheduler_core& pool)
    : run_state(work, stopped),
      fifo_(options.order == order::fifo),
      half_(options.steal == amount::half),
      pool_(pool) {
  for (std::uint32_t i = 0; i < pool.workers(); ++i)
    add_participant(own_participants_.emplace_back(i, work.make_queue()));
  work.prepare(participants_.size());
}

void phase_base::by_chase_lev::attach(participant& here, bool first) noexcept {
  here.own_queue->set_owner(current);
  here.stack.store(current, std::memory_order_relaxed);
  if (!first) {
    if (here.tasks->size() != 0) begin_with_own(here);
    return;
  }
  end_.check_in();
  here.awake = true;
  take_enqueued(here);
}

void phase_base::by_chase_lev::expect(participant& one) noexcept {
  end_.expect();
  one.awake = true;
}

void phase_base::by_chase_lev::detach(participant& here) noexcept {
  here.own_queue->set_owner(nullptr);
  here.stack.store(nullptr, std::memory_order_relaxed);
}

/// Combines the parts as a tree over the participants, neighbours first.
std::shared_ptr<void> phase_base::by_chase_lev::result(participant&) noexcept try {
  std::vector<std::shared_ptr<void>> parts;
  for (participant* s : participants_)
    if (std::shared_ptr<void> part = take_part(*s)) parts.push_back(std::move(part));
  return combine_as_tree(std::move(parts));
} catch (const std::bad_alloc&) {
  keep_exception();
  return {};
}

// ---- tasks

/// Moves all private tasks to the deque. A range that would be alone there moves as two halves, so that a thief takes
/// only one of them.
void phase_base::by_chase_lev::publish(deque_participant& here) {
  constexpr auto all = ~std::uint64_t{0};
  while (here.tasks->size() != 0) {
    std::uint64_t taken = 0;
    phase_words one = here.tasks->take(all, taken);
    if (taken > 1 && here.tasks->size() == 0 && here.deque.size() == 0) {
      here.tasks->put(one);
      const phase_words far = here.tasks->take(taken / 2, taken);
      const phase_words near = here.tasks->take(all, taken);
      // The near half runs first.
      here.deque.push(fifo_ ? near : far);
      one = fifo_ ? far : near;
    }
    here.deque.push(one);
  }
}

void phase_base::by_chase_lev::begin(participant& here) noexcept {
  try {
    if (!expected().empty()) deal(here);
  } catch (const std::bad_alloc&) {
    keep_exception();
  }
  begin_with_own(here);
}

void phase_base::by_chase_lev::begin_with_own(participant& here) noexcept {
  attend(here);
  here.ran |= here.tasks->size() != 0;  // private tasks run without another call of next()
}

void phase_base::by_chase_lev::attend(participant& one) noexcept {
  deque_participant& here = participant_of(one);
  if (here.tasks->size() == 0 || alone()) return;
  try {
    publish(here);
  } catch (const std::bad_alloc&) {
    keep_exception();
  }
  call_for_tasks(here);
}

bool phase_base::by_chase_lev::take_own(deque_participant& here) {
  phase_words task{};
  const bool taken =
      fifo_ ? here.deque.take(task, [](const phase_words&) { return true; }) : here.deque.pop(&task);
  if (taken) here.tasks->put(task);
  return taken;
}

deque_participant* phase_base::by_chase_lev::nearest_with_tasks(const deque_participant& here) {
  const scoped_charge<charge::scan> all_of_them;
  const placement& machine = pool_.placed;
  for (std::size_t level = 0; level < machine.levels(); ++level)
    for (const worker_id victim : machine.at_distance(here.number, level))
      if (own_participants_[victim].deque.size() != 0) return &own_participants_[victim];
  return nullptr;
}

void phase_base::by_chase_lev::drop_own(deque_participant& here) noexcept {
  for (phase_words dropped{}; here.deque.pop(&dropped);) {
  }
  discard(here);
}

/// Puts the task into the private queue, where the caller finds it.
bool phase_base::by_chase_lev::find_task(deque_participant& here) noexcept {
  try {
    if (is_stopped()) {
      drop_own(here);
      return false;
    }
    if (take_own(here)) return true;
    work_.take_enqueued(*here.tasks);
    if (alone()) return here.tasks->size() != 0;
    publish(here);
    return take_or_steal(here);
  } catch (const std::bad_alloc&) {
    keep_exception();
    drop_own(here);
    return false;
  }
}

// ---- waiting for tasks or the end

/// Polls, then yields, and then it is time to leave the worker.
struct phase_base::by_chase_lev::waiting {
  std::int64_t start = host_platform::now_ns();

  bool pause() noexcept {
    const std::int64_t waited = host_platform::now_ns() - start;
    if (waited >= phase_leave_after_ns) return false;
    if (waited < phase_poll_ns)
      for (int i = 0; i < 16; ++i) host_platform::relax();
    else
      host_platform::yield_thread();
    return true;
  }
  void restart() noexcept { start = host_platform::now_ns(); }
};

phase_base::by_chase_lev::waiting phase_base::by_chase_lev::begin_waiting() const noexcept { return {}; }

/// Called when there is no private task to run, or after a stop.
bool phase_base::by_chase_lev::next(participant& one) noexcept {
  deque_participant& here = participant_of(one);
  const bool found = stealing::next(here);
  if (found) here.ran = true;
  return found;
}

void phase_base::by_chase_lev::call_all() noexcept {
  for (participant* s : participants_) call_back(*s);
}

bool phase_base::by_chase_lev::anything_left() const noexcept {
  const scoped_charge<charge::scan> all_of_them;
  return std::ranges::any_of(own_participants_,
                             [](const deque_participant& s) { return s.deque.size() != 0; });
}

}  // namespace skua::detail
