// A run of a phase by messages: participants and managers, each with a mailbox and the state that acts on its messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/for_simulator.hpp"
#include "core/phase/manager_posts.hpp"
#include "core/phase/phase_run.hpp"
#include "managers/worker_part.hpp"

namespace skua::core {

/// A participant's queue as its state machine sees it. After a stop it drops the tasks that arrive. Messages are read where no
/// exception may leave, so an exception of the comparison of tasks stops the run.
class SKUA_FOR_SIMULATOR queue_of_participant final : public managers::task_queue {
 public:
  queue_of_participant(detail::phase_tasks& tasks, detail::phase_base::run_state& run)
      : tasks_(tasks), run_(run) {}
  std::uint64_t size() const override { return tasks_.size(); }
  void put(const managers::task_descriptor& t) override;
  managers::task_descriptor take(std::uint64_t max, std::uint64_t& taken) override;

 private:
  detail::phase_tasks& tasks_;
  detail::phase_base::run_state& run_;
};

/// The thread that holds the mailbox owns the rest: the participant while it is present, else a thread that posts to
/// it.
struct alignas(detail::line_pair) phase_worker final : on_new_words<phase_worker>, participant {
  phase_worker(const managers::manager_tree& tree, std::uint32_t index,
               std::unique_ptr<detail::phase_tasks> queue, detail::phase_base::run_state& run);

  letterbox letters;
  queue_of_participant seen;
  managers::worker_part part;
  shared<std::uint32_t> parked{0};  // 1: its thread sleeps until a message arrives
};

}  // namespace skua::core

namespace skua::detail {

class alignas(line_pair) phase_base::by_messages final : private core::on_new_words<by_messages>,
                                                         public run_state,
                                                         public managers::reduction,
                                                         private core::manager_posts {
 public:
  by_messages(const phase_options& options, phase_work& work, std::atomic<bool>& stopped,
              std::size_t workers);
  ~by_messages() override;

  void attend(core::participant& here) noexcept override;
  bool next(core::participant& here) noexcept override;

 private:
  static core::phase_worker& participant_of(core::participant& p) noexcept {
    return static_cast<core::phase_worker&>(p);
  }
  void attach(core::participant& here, bool first) noexcept override;
  void begin(core::participant& here) noexcept override;
  void deal_to_all(core::participant& here);
  bool ended(const core::participant& here) const noexcept override;
  bool is_over() const noexcept override { return over_.load(std::memory_order_relaxed); }
  void detach(core::participant& here) noexcept override;
  std::shared_ptr<void> result(core::participant& first) noexcept override;
  std::uint32_t more_workers() const noexcept override { return dedicated(); }
  bool serves() noexcept override;
  void block(core::phase_worker& here) noexcept;
  bool wait_for_tasks(core::phase_worker& here) noexcept;
  void sleep(core::phase_worker& here) noexcept;
  void leave_worker(core::phase_worker& here) noexcept;
  std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void> b) override;

  // Messages to a participant.
  bool post_to_worker(managers::envelope message) noexcept override;
  void run_worker(std::uint32_t worker, parties& free) noexcept override;
  void read_letters(core::phase_worker& to, outbox& out) noexcept;

  std::deque<core::phase_worker> own_participants_;
  core::shared<std::uint32_t> dedicated_started_{0};
  core::shared<bool> over_{false};
};

}  // namespace skua::detail
