// One run of a phase: its participants, independent of how tasks move between them.
//
//   phase.cpp                     what every run does: which workers take part, and how it begins and ends
//   phase_by_messages.*           tasks move by managers and messages
//   phase_by_chase_lev.*          the software baseline: thieves take tasks from deques (deque_phase.hpp)
//   src/simulator/adm/phase_by_*  the hardware of a simulated machine (simulated_machine.hpp)
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <skua/detail/phase_core.hpp>
#include <skua/phase.hpp>
#include <skua/task_group.hpp>

#include "core/phase/absentees.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "core/stack.hpp"

namespace skua::core {

/// For participants without a mailbox: it never holds a message.
inline constexpr std::atomic<std::uintptr_t> no_mail{0};

/// One participant of a run. It is free until a worker acts as it.
struct alignas(detail::line_pair) participant : detail::phase_participant {
  participant(std::uint32_t index, std::unique_ptr<detail::phase_tasks> queue) : own_queue(std::move(queue)) {
    tasks = own_queue.get();
    number = index;
  }

  std::unique_ptr<detail::phase_tasks> own_queue;
  bool ran = false;                      // a task whose result the reduction may not have yet
  shared<bool> taken{false};             // by a participant, until the run ends
  shared<int> of_worker{-1};             // the participant's worker
  shared<task_context*> stack{nullptr};  // the participant's stack
  absence<host_platform, waiter> away;   // from its worker, while it is suspended
};

}  // namespace skua::core

namespace skua::detail {

class phase_base::run_state {
 public:
  virtual ~run_state() = default;
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;

  /// The whole run, called by the thread that called phase::run().
  std::shared_ptr<void> run(phase_base& of);

  virtual void attend(core::participant& here) noexcept = 0;
  virtual bool next(core::participant& here) noexcept = 0;
  core::participant* participant_of(const task_context* stack) noexcept;

  /// Reserves a participant for a worker that stands by. False when it is not free.
  bool reserve(std::uint32_t number) noexcept;
  /// Called by that worker: acts as the reserved participant.
  void take_reserved(std::uint32_t number) noexcept;
  /// Called when a participant has no task. In a child of fork() in which only one participant is left, the process ends.
  void end_if_alone() const noexcept;
  /// Called by the last of the summoned workers, if the caller of run() does something else until then.
  void all_summoned_left() noexcept;

  bool is_stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  /// In an exception handler: stops the run. Its caller receives the first exception.
  void keep_exception() noexcept;

 protected:
  run_state(phase_work& work, std::atomic<bool>& stopped);
  void add_participant(core::participant& one) { participants_.push_back(&one); }

  virtual void attach(core::participant& here, bool first) noexcept = 0;
  /// The worker of that participant stands by: it will attach before any time has passed for it.
  virtual void expect(core::participant&) noexcept {}
  /// Called when the first participant has attached and its queue holds the enqueued tasks.
  virtual void begin(core::participant& here) noexcept = 0;
  virtual bool ended(const core::participant& here) const noexcept = 0;
  /// Whether any participant knows that the run has ended.
  virtual bool is_over() const noexcept = 0;
  virtual void detach(core::participant& here) noexcept = 0;
  virtual std::shared_ptr<void> result(core::participant& first) noexcept = 0;
  /// The number of workers beside one for each participant. serves() is what such a worker does instead of taking part;
  /// false when it is to take part.
  virtual std::uint32_t more_workers() const noexcept { return 0; }
  virtual bool serves() noexcept { return false; }

  /// Deals the first participant's tasks in equal shares to the expected participants: each has its share when it
  /// attaches.
  void deal(core::participant& first);
  const std::vector<core::participant*>& expected() const noexcept { return expected_; }

  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  /// Moves the tasks that were enqueued from outside of all participants to this one. If there is no memory, or the
  /// comparison of tasks throws, the run is stopped.
  void take_enqueued(core::participant& to) noexcept;
  /// Drops the private tasks after a stop.
  void discard(core::participant& here) noexcept;
  /// What a participant that has run tasks adds to the reduction; null: nothing.
  std::shared_ptr<void> take_part(core::participant& here) noexcept;
  std::shared_ptr<void> combine_parts(const std::shared_ptr<void>& a, std::shared_ptr<void> b) noexcept;
  /// Combines neighbours first, through shared memory.
  std::shared_ptr<void> combine_as_tree(std::vector<std::shared_ptr<void>> parts) noexcept;

  // A participant may leave its worker to other tasks. Any thread may call it back.
  void wait_until_called(core::participant& here) noexcept;
  bool call_back(core::participant& one) noexcept;
  /// Calls back this participant if it is away, else the next absent one.
  void call_back_nearest(core::participant& nearest) noexcept;

  phase_work& work_;
  std::vector<core::participant*> participants_;
  std::vector<core::participant*> expected_;
  core::absentees<core::host_platform, core::waiter> away_;

 private:
  void take_part_if_free() noexcept;
  std::size_t summon() noexcept;
  void wait_for_summoned() noexcept;
  core::participant* choose_participant() noexcept;
  bool takes_part_already(int worker) const noexcept;
  void participate(core::participant& here) noexcept;

  std::atomic<bool>& stopped_;
  std::mutex exception_mutex_;
  std::exception_ptr thrown_;
  std::uint64_t number_ = 0;
  const std::uint32_t process_;
  core::completion<core::host_platform, core::waiter> summoned_left_;
};

/// A participant without tasks polls for this long, since another one usually has tasks within microseconds.
inline constexpr std::int64_t phase_poll_ns = 20'000;
/// It leaves its worker to other tasks after this time: longer than two stack switches and than most gaps between
/// rounds.
inline constexpr std::int64_t phase_leave_after_ns = 1'000'000;

}  // namespace skua::detail
