// One run of a phase: its participants, whatever brings tasks from one to another.
//
//   phase.cpp               what every run does: who takes part, and how it begins and ends
//   phase_by_messages.*     managers and messages; phase_post.cpp: who reads the messages of a seat
//   phase_by_chase_lev.*    the software baseline: deques that thieves reach into
//   src/simulator/phase_by_*  the hardware of a simulated machine (world.hpp)
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
#include "core/stack.hpp"

namespace skua::core {

/// Of seats where nothing ever lies: whoever is sent something there is told otherwise.
inline constexpr std::atomic<std::uintptr_t> no_mail{0};

/// Where one participant sits.
struct alignas(detail::line_pair) participant : detail::phase_seat {
  participant(std::uint32_t index, std::unique_ptr<detail::phase_tasks> queue) : own_queue(std::move(queue)) {
    tasks = own_queue.get();
    number = index;
  }

  std::unique_ptr<detail::phase_tasks> own_queue;
  bool ran = false;                      // something that a reduction may not know of
  shared<bool> taken{false};             // by a participant, for the whole run
  shared<int> of_worker{-1};             // that participant's
  shared<task_context*> stack{nullptr};  // its stack
  absence<host_platform, waiter> away;   // from its worker, suspended
};

}  // namespace skua::core

namespace skua::detail {

class phase_base::run_state {
 public:
  virtual ~run_state() = default;
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;

  /// By the thread that called run(): all of it.
  std::shared_ptr<void> run(phase_base& of);

  virtual void attend(core::participant& here) noexcept = 0;
  virtual bool next(core::participant& here) noexcept = 0;
  core::participant* seat_of(const task_context* stack) noexcept;

  /// For a worker that stands by: nobody else takes that seat any more. False: somebody has.
  bool reserve(std::uint32_t seat) noexcept;
  /// By that worker.
  void take_reserved(std::uint32_t seat) noexcept;
  /// By the last of those that were summoned, where the caller has something else to do until then.
  void all_summoned_left() noexcept;

 protected:
  run_state(phase_work& work, std::atomic<bool>& stopped) : work_(work), stopped_(stopped) {}
  void add_seat(core::participant& one) { seats_.push_back(&one); }

  virtual void attach(core::participant& here, bool first) noexcept = 0;
  /// The worker of that seat stands by: it will sit down before any time has passed for it.
  virtual void expect(core::participant&) noexcept {}
  /// The first participant sits, and what was enqueued lies in its queue.
  virtual void begin(core::participant& here) noexcept = 0;
  virtual bool ended(const core::participant& here) const noexcept = 0;
  /// Somebody knows that the run has ended.
  virtual bool is_over() const noexcept = 0;
  virtual void stand_up(core::participant& here) noexcept = 0;
  virtual std::shared_ptr<void> result(core::participant& first) noexcept = 0;
  /// Workers that are to come beside one for each seat, and what one that comes does instead of taking a seat, if
  /// anything.
  virtual std::uint32_t more_workers() const noexcept { return 0; }
  virtual bool serves() noexcept { return false; }

  /// What the first participant has goes round among those that are expected, in equal shares: each has its own when it
  /// sits down.
  void deal(core::participant& first);
  const std::vector<core::participant*>& expected() const noexcept { return expected_; }

  bool is_stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  /// Drops what is private here, after a stop.
  void discard(core::participant& here) noexcept;
  void keep_exception() noexcept;
  /// What a participant that has run something adds to the reduction; null: nothing.
  std::shared_ptr<void> take_part(core::participant& here) noexcept;
  std::shared_ptr<void> combine_parts(const std::shared_ptr<void>& a, std::shared_ptr<void> b) noexcept;
  /// Neighbours first, through shared memory.
  std::shared_ptr<void> combine_as_tree(std::vector<std::shared_ptr<void>> parts) noexcept;

  // Who leaves its worker to other tasks is called back by anybody.
  void wait_until_called(core::participant& here) noexcept;
  bool call_back(core::participant& one) noexcept;
  /// This one if it is away, else the next that is.
  void call_one(core::participant& near) noexcept;

  phase_work& work_;
  std::vector<core::participant*> seats_;
  std::vector<core::participant*> expected_;
  core::absentees<core::host_platform, core::waiter> away_;

 private:
  void come() noexcept;
  std::size_t summon() noexcept;
  void wait_for_summoned() noexcept;
  core::participant* choose_seat() noexcept;
  bool has_seat(int worker) const noexcept;
  void participate(core::participant& here) noexcept;

  std::atomic<bool>& stopped_;
  std::mutex exception_mutex_;
  std::exception_ptr thrown_;
  std::uint64_t number_ = 0;
  core::completion<core::host_platform, core::waiter> summoned_left_;
};

/// A participant without tasks polls for so long, as somebody has some within microseconds, ...
inline constexpr std::int64_t phase_poll_ns = 20'000;
/// ... and leaves its worker to other tasks after this. Longer than a switch there and back, and than most gaps between
/// rounds.
inline constexpr std::int64_t phase_leave_after_ns = 1'000'000;

}  // namespace skua::detail
