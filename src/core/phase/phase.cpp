// Phases: which workers take part in a run, how it begins and ends, and how participants leave their workers and
// return.
#include <skua/phase.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include "base/nearest_name.hpp"
#include "core/phase/phase_by_chase_lev.hpp"
#include "core/phase/phase_by_messages.hpp"
#include "core/phase/phase_run.hpp"
#include "core/platform/costs.hpp"
#include "core/platform/phase_hardware.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

namespace detail {

constinit thread_local phase_cache last_participant{0, nullptr, nullptr};

namespace {

using tree = managers::manager_tree;

std::atomic<std::uint64_t> runs_begun{0};

void check(const phase_options& options) {
  base::in_range("phase_options::radix", options.radix, tree::min_radix, tree::max_radix);
  base::in_range("phase_options::dedicated_managers", options.dedicated_managers, 0, tree::max_dedicated);
  base::in_range("phase_options::underflow", options.underflow, 1, tree::max_underflow);
  if (options.stealing == phase_stealing::chase_lev && options.order == order::priority)
    throw bad_input(
        "phase_options::stealing is chase_lev with order::priority; allowed: lifo and fifo, since tasks "
        "leave a deque only at its two ends; nearest: phase_stealing::messages, which supports all three");
}

bool is_software_substrate(const scheduler_core& pool) {
  return pool.options.simulate && pool.options.simulate->substrate == "software";
}

bool uses_deques(const phase_options& options, const scheduler_core& pool) {
  if (is_software_substrate(pool)) return options.order != order::priority;
  if (options.stealing != phase_stealing::as_policy) return options.stealing == phase_stealing::chase_lev;
  return pool.joins == queue_kind::chase_lev && options.order != order::priority;
}

// The paper's hardware has its queues and units already, so the time to make ours, here and on the software substrate,
// is not part of a phase.
std::unique_ptr<phase_base::run_state> make_on_hardware(const scheduler_core& pool,
                                                        const phase_options& options, phase_work& work,
                                                        std::atomic<bool>& stopped) {
  phase_hardware* const hardware = phase_hardware_here();
  if (!hardware) return nullptr;
  const scoped_charge<charge::setup> once;
  return hardware->make_phase(options, work, stopped, pool);
}

}  // namespace

// ---- the interface

phase_base::phase_base(const phase_options& options) : options_(std::make_unique<phase_options>(options)) {
  check(options);
}
phase_base::~phase_base() = default;

std::shared_ptr<void> phase_base::run_phase(phase_work& work) {
  std::shared_ptr<void> all;
  on_worker([&](task_context&) {
    if (run_) throw std::logic_error("skua: phase::run() was called for a phase that is already running");
    stopped_.store(false, std::memory_order_relaxed);
    const scheduler_core& pool = *current_stack()->pool;
    const auto run_by = [&](run_state&& run) { all = run.run(*this); };
    if (const auto on_hardware = make_on_hardware(pool, *options_, work, stopped_))
      run_by(std::move(*on_hardware));
    else if (uses_deques(*options_, pool)) {
      std::optional<by_chase_lev> made;
      {
        std::optional<scoped_charge<charge::setup>> once;
        if (is_software_substrate(pool)) once.emplace();
        made.emplace(*options_, work, stopped_, pool);
      }
      run_by(std::move(*made));
    } else
      run_by(by_messages(*options_, work, stopped_, pool.workers()));
  });
  return all;
}

phase_participant* phase_base::find_participant() const noexcept {
  if (!run_ || !current) return nullptr;
  phase_participant* const found = run_->participant_of(current);
  if (found) last_participant = {run_number_, current, found};
  return found;
}

void phase_base::attend(phase_participant& here) noexcept { run_->attend(static_cast<participant&>(here)); }
bool phase_base::next(phase_participant& here) noexcept {
  run_->end_if_alone();
  return run_->next(static_cast<participant&>(here));
}

// ---- a run

phase_base::run_state::run_state(phase_work& work, std::atomic<bool>& stopped)
    : work_(work), stopped_(stopped), process_(core::process_generation()) {}

std::shared_ptr<void> phase_base::run_state::run(phase_base& of) {
  participant& mine = *choose_participant();
  number_ = runs_begun.fetch_add(1, std::memory_order_relaxed);
  of.run_ = this;
  of.run_number_ = number_;
  attach(mine, true);  // before others may attach, so that they find work announced
  const std::size_t summoned = summon();
  begin(mine);
  // Partner: take_part_if_free(). Code of this library pushes the group's tasks. If only the program is built with a
  // sanitizer, the sanitizer does not see that code.
  tell_release(this, std::memory_order_release);
  {
    task_group others;
    try {
      for (std::size_t i = 1 + summoned; i < participants_.size() + more_workers(); ++i)
        others.run([this] { take_part_if_free(); });
    } catch (const std::bad_alloc&) {
      // Then there are fewer participants.
    }
    participate(mine);
    others.wait();
  }
  if (summoned != 0) wait_for_summoned();
  of.run_number_ = ~std::uint64_t{0};
  of.run_ = nullptr;
  work_.discard_enqueued();  // tasks are left only after a stop
  std::shared_ptr<void> all = result(mine);
  if (thrown_) std::rethrow_exception(thrown_);
  return all;
}

/// Runs as a task: the worker that gets it becomes a further participant.
void phase_base::run_state::take_part_if_free() noexcept {
  tell_acquire(this, std::memory_order_acquire);  // partner: run()
  if (phase_hardware* const hardware = phase_hardware_here())
    hardware->took_part();  // also if it is too late
  // A participant on top of another participant's body would keep that body from continuing until its own body ends. On
  // a worker whose participant is away it would keep that participant from returning.
  if (is_over() || participant_of(current) || takes_part_already(worker_index()) || serves()) return;
  participant* const mine = choose_participant();
  if (!mine) return;
  attach(*mine, false);
  participate(*mine);
}

std::size_t phase_base::run_state::summon() noexcept {
  phase_hardware* const hardware = phase_hardware_here();
  return hardware ? hardware->summon(*this) : 0;
}

// The worker checks for other work now and then, and not at every push, since it has nothing else to do here.
void phase_base::run_state::wait_for_summoned() noexcept {
  summoned_left_.reset();
  const auto is_wanted = [] {
    const worker& here = *current_stack()->worker;
    return has_ready(here) || here.pool->external_threads_want(here);
  };
  if (phase_hardware_here()->wait_for_summoned(*this, is_wanted)) return;
  // A summoned worker may wait for the work for which this worker is wanted.
  completion_event event(summoned_left_);
  wait_for(*current_stack(), event);
  phase_hardware_here()->dismiss(*this);
}

void phase_base::run_state::all_summoned_left() noexcept {
  if (waiter* const caller = summoned_left_.finish()) wake_waiter(*caller);
}

bool phase_base::run_state::reserve(std::uint32_t number) noexcept {
  // quietly: the worker was this participant before.
  if (number >= participants_.size() ||
      host_atomics::quietly(participants_[number]->taken).exchange(true, std::memory_order_relaxed))
    return false;
  host_atomics::quietly(participants_[number]->of_worker)
      .store(static_cast<int>(number), std::memory_order_relaxed);
  expected_.push_back(participants_[number]);
  expect(*participants_[number]);
  return true;
}

void phase_base::run_state::deal(participant& first) {
  std::uint64_t left = first.tasks->size();
  std::ranges::sort(expected_, {}, &participant::number);
  // A range yields its back first, which is the last participant's share.
  for (std::size_t i = expected_.size(); i != 0; --i) {
    phase_tasks& to = *expected_[i - 1]->tasks;
    to.set_owner(current);
    for (std::uint64_t share = left / (i + 1), taken = 0; share != 0; share -= taken, left -= taken)
      to.put(first.tasks->take(share, taken));
    to.set_owner(nullptr);
  }
}

void phase_base::run_state::take_reserved(std::uint32_t number) noexcept {
  attach(*participants_[number], false);
  participate(*participants_[number]);
}

participant* phase_base::run_state::participant_of(const task_context* stack) noexcept {
  for (participant* s : participants_)
    if (host_atomics::quietly(s->stack).load(std::memory_order_relaxed) == stack) return s;
  return nullptr;
}

/// The participant with the worker's number, so that neighbouring participants are neighbours in the machine; else any free one.
participant* phase_base::run_state::choose_participant() noexcept {
  const auto wanted = static_cast<std::size_t>(std::max(worker_index(), 0));
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    participant& s = *participants_[(wanted + i) % participants_.size()];
    if (s.taken.exchange(true, std::memory_order_relaxed)) continue;
    host_atomics::quietly(s.of_worker).store(worker_index(), std::memory_order_relaxed);
    return &s;
  }
  return nullptr;
}

// relaxed: an earlier thread on this worker stored the value, and the caller has taken over from it.
bool phase_base::run_state::takes_part_already(int worker) const noexcept {
  return std::ranges::any_of(participants_, [&](const participant* s) {
    return host_atomics::quietly(s->of_worker).load(std::memory_order_relaxed) == worker;
  });
}

void phase_base::run_state::participate(participant& here) noexcept {
  try {
    work_.participate(here);
  } catch (...) {
    keep_exception();
  }
  // A body that returned early stops the phase; the others see that at their next check.
  if (!ended(here)) stop();
  while (!ended(here)) {
    end_if_alone();
    next(here);
  }
  detach(here);
}

void phase_base::run_state::end_if_alone() const noexcept {
  if (is_alone(*current) && process_ != process_generation()) [[unlikely]]
    end_child("its part of the phase in which it was made");
}

void phase_base::run_state::keep_exception() noexcept {
  const std::lock_guard lock(exception_mutex_);
  if (!thrown_) thrown_ = std::current_exception();
  stop();
}

void phase_base::run_state::take_enqueued(participant& to) noexcept {
  try {
    work_.take_enqueued(*to.tasks);
  } catch (...) {
    keep_exception();
  }
}

void phase_base::run_state::discard(participant& here) noexcept {
  if (!is_stopped()) return;
  here.tasks->clear();
  work_.discard_enqueued();
}

std::shared_ptr<void> phase_base::run_state::take_part(participant& here) noexcept {
  try {
    if (std::exchange(here.ran, false)) return work_.take_part(here.number);
  } catch (...) {
    keep_exception();
  }
  return {};
}

std::shared_ptr<void> phase_base::run_state::combine_parts(const std::shared_ptr<void>& a,
                                                           std::shared_ptr<void> b) noexcept {
  try {
    return work_.combine(a, std::move(b));
  } catch (...) {
    keep_exception();
    return a;
  }
}

std::shared_ptr<void> phase_base::run_state::combine_as_tree(
    std::vector<std::shared_ptr<void>> parts) noexcept {
  if (phase_hardware* const hardware = phase_hardware_here(); hardware && !parts.empty())
    hardware->reduce_parts(participants_.size());
  for (std::size_t step = 1; step < parts.size(); step *= 2)
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step)
      parts[i] = combine_parts(parts[i], std::move(parts[i + step]));
  return parts.empty() ? nullptr : std::move(parts.front());
}

// ---- leaving a worker to other tasks

void phase_base::run_state::wait_until_called(participant& here) noexcept {
  completion_event event(here.away.called);
  wait_for(*current_stack(), event);
}

bool phase_base::run_state::call_back(participant& one) noexcept {
  return away_.call_back(one.away, &wake_waiter);
}

/// If none is away, the present participants will ask for the tasks.
void phase_base::run_state::call_back_nearest(participant& nearest) noexcept {
  away_.call_back_first(
      nearest.number, participants_.size(), [this](std::size_t i) -> auto& { return participants_[i]->away; },
      &wake_waiter);
}

}  // namespace detail
}  // namespace skua
