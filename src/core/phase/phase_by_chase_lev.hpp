// A run of a phase on the software baseline of the ADM paper: Chase-Lev deques, the nearest victim first, one task or
// half, and the end as X10's work stealing finds it (deque_phase.hpp).
//
// A participant's own queue holds at most one task, between two inlined calls: every task that is put there moves to
// the deque at once. With a single worker there are no thieves, so tasks stay in the queue, and their order is exact.
// Papers: Sanchez, Yoo and Kozyrakis (ADM, software-only runtime); Cong et al., "Solving Large, Irregular Graph
// Problems Using Adaptive Work-Stealing" (ICPP 2008).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "core/phase/deque_phase.hpp"
#include "core/phase/phase_run.hpp"
#include "core/queue/chase_lev.hpp"

namespace skua::core {

class scheduler_core;

struct alignas(detail::line_pair) deque_participant final : on_new_words<deque_participant>, participant {
  deque_participant(std::uint32_t index, std::unique_ptr<detail::phase_tasks> queue)
      : participant(index, std::move(queue)) {
    upper = 0;  // every call takes the slow path, attend()
  }
  chase_lev_deque<detail::host_atomics,
                  growing_ring<detail::host_atomics, std::tuple_size_v<detail::phase_words>>>
      deque;
};

}  // namespace skua::core

namespace skua::detail {

class alignas(line_pair) phase_base::by_chase_lev final
    : private core::on_new_words<by_chase_lev>,
      public run_state,
      private core::deque_phase<phase_base::by_chase_lev, core::deque_participant> {
 public:
  by_chase_lev(const phase_options& options, phase_work& work, std::atomic<bool>& stopped,
               const core::scheduler_core& pool);

  void attend(core::participant& here) noexcept override;
  bool next(core::participant& here) noexcept override;

 private:
  using stealing = core::deque_phase<by_chase_lev, core::deque_participant>;
  friend stealing;

  static core::deque_participant& participant_of(core::participant& p) noexcept {
    return static_cast<core::deque_participant&>(p);
  }
  void attach(core::participant& here, bool first) noexcept override;
  void begin(core::participant& here) noexcept override;
  void expect(core::participant& here) noexcept override;
  bool ended(const core::participant&) const noexcept override { return is_over(); }
  bool is_over() const noexcept override { return end_.over(); }
  void detach(core::participant& here) noexcept override;
  std::shared_ptr<void> result(core::participant& first) noexcept override;

  bool alone() const noexcept { return own_participants_.size() == 1; }
  void begin_with_own(core::participant& here) noexcept;
  void publish(core::deque_participant& here);
  void drop_own(core::deque_participant& here) noexcept;

  // For deque_phase.
  struct waiting;
  bool steals_half() const noexcept { return half_; }
  bool take_own(core::deque_participant& here);
  core::deque_participant* nearest_with_tasks(const core::deque_participant& here);
  bool find_task(core::deque_participant& here) noexcept;
  bool anything_left() const noexcept;
  bool any_away() const noexcept { return away_.any(); }
  void call_one(core::deque_participant& nearest) noexcept { call_back_nearest(nearest); }
  void call_all() noexcept;
  template <class Reason>
  bool leave(core::deque_participant& here, Reason must_stay) noexcept {
    return away_.leave(here.away, must_stay);
  }
  waiting begin_waiting() const noexcept;

  const bool fifo_;
  const bool half_;
  const core::scheduler_core& pool_;
  std::deque<core::deque_participant> own_participants_;
  core::end_counter<core::host_platform> end_;
};

}  // namespace skua::detail
