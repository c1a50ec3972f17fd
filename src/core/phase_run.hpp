// One run of a phase: seats and managers, each a mailbox with the state that acts on its messages.
//
//   phase.cpp          a participant: its loop, waiting, leaving and coming back
//   phase_post.cpp     messages: who runs a seat that is posted to; for managers manager_posts.cpp
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <skua/detail/phase_core.hpp>
#include <skua/phase.hpp>

#include "core/completion.hpp"
#include "core/manager_posts.hpp"
#include "core/platform.hpp"
#include "core/stack.hpp"
#include "managers/worker_part.hpp"

namespace skua::core {

/// A seat's queue as its state machine sees it. After a stop it swallows what arrives.
class queue_of_seat final : public managers::task_queue {
 public:
  queue_of_seat(detail::phase_tasks& tasks, const std::atomic<bool>& stopped)
      : tasks_(tasks), stopped_(stopped) {}
  std::uint64_t size() const override { return tasks_.size(); }
  void put(const managers::task_descriptor& t) override {
    if (!stopped_.load(std::memory_order_relaxed)) tasks_.put(t);
  }
  managers::task_descriptor take(std::uint64_t most, std::uint64_t& taken) override {
    return tasks_.take(most, taken);
  }

 private:
  detail::phase_tasks& tasks_;
  const std::atomic<bool>& stopped_;
};

/// Where one participant sits. Who holds the mailbox owns the rest: the participant while it is there, else whoever
/// posts something to it.
struct phase_place final : detail::phase_seat {
  phase_place(const managers::manager_tree& tree, std::uint32_t index,
              std::unique_ptr<detail::phase_tasks> own_queue, const std::atomic<bool>& stopped);

  letterbox letters;
  std::unique_ptr<detail::phase_tasks> own_queue;
  queue_of_seat seen;
  managers::worker_part part;
  bool ran = false;  // something that a reduction may not know of

  std::atomic<bool> taken{false};        // by a participant, for the whole run
  std::atomic<worker*> stack{nullptr};   // its stack
  std::atomic<std::uint32_t> parked{0};  // 1: its thread sleeps over its mailbox
  std::atomic<bool> away{false};         // suspended; who sets this false must finish `called`
  completion<host_platform, waiter> called;
};

}  // namespace skua::core

namespace skua::detail {

class phase_base::run_state final : public managers::reduction, private core::manager_posts {
 public:
  run_state(const phase_options& options, phase_work& work, std::atomic<bool>& stopped, std::size_t workers);
  ~run_state();

  /// By the thread that called run(): all of it.
  std::shared_ptr<void> run(phase_base& of);

  void attend(core::phase_place& here) noexcept;
  bool next(core::phase_place& here) noexcept;
  core::phase_place* seat_of(const worker* stack) noexcept;

 private:
  // phase.cpp
  void come() noexcept;
  core::phase_place* choose_seat() noexcept;
  bool sits_below() noexcept;
  void participate(core::phase_place& here) noexcept;
  void sit_down(core::phase_place& here, bool first) noexcept;
  void deal(core::phase_place& here) noexcept;
  void stand_up(core::phase_place& here) noexcept;
  void block(core::phase_place& here) noexcept;
  bool wait_for_tasks(core::phase_place& here) noexcept;
  void discard(core::phase_place& here) noexcept;
  void sleep(core::phase_place& here) noexcept;
  void go_away(core::phase_place& here) noexcept;
  void call_somebody(core::phase_place& near) noexcept;
  bool call_back(core::phase_place& one) noexcept;
  void keep_exception() noexcept;
  void manage(std::uint32_t which) noexcept;
  std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void> b) override;

  // phase_post.cpp
  bool post_to_worker(managers::envelope message) noexcept override;
  void run_worker(std::uint32_t worker, parties& free) noexcept override;
  bool left_to_dedicated(const core::manager_place& m) const noexcept override;
  void read_letters(core::phase_place& seat, outbox& out) noexcept;

  phase_work& work_;
  std::atomic<bool>& stopped_;
  const std::uint32_t dedicated_;
  std::deque<core::phase_place> seats_;
  std::atomic<std::uint32_t> dedicated_started_{0};
  std::vector<std::atomic<bool>> dedicated_here_;
  std::atomic<std::uint32_t> away_{0};
  std::atomic<bool> over_{false};
  std::mutex exception_mutex_;
  std::exception_ptr thrown_;
  std::uint64_t number_ = 0;
};

}  // namespace skua::detail
