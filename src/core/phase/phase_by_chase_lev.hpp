// A run of a phase on the software baseline of the ADM paper: Chase-Lev deques, nearest victim first, one or half, and the
// end as X10's work stealing finds it: workers without tasks check out at one counter and check in before they steal, so
// all is done when it says nobody.
//
// A seat's own queue holds one task at most, between two of the calls that are inlined: whatever is put there goes to the
// deque at once. Where there is one worker only, nobody could take it, and it stays in the queue, whose order is exact.
// Papers: Sanchez, Yoo and Kozyrakis (ADM, software-only runtime); Cong et al., "Solving Large, Irregular Graph Problems
// Using Adaptive Work-Stealing" (ICPP 2008).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "core/phase/end_counter.hpp"
#include "core/phase/phase_run.hpp"
#include "core/queue/chase_lev.hpp"

namespace skua::core {

class scheduler_core;

struct deque_seat final : on_new_words<deque_seat>, participant {
  deque_seat(std::uint32_t index, std::unique_ptr<detail::phase_tasks> queue)
      : participant(index, std::move(queue)) {
    upper = 0;  // every call comes to attend()
  }
  chase_lev_deque<detail::host_atomics,
                  growing_ring<detail::host_atomics, std::tuple_size_v<detail::phase_words>>>
      deque;
};

}  // namespace skua::core

namespace skua::detail {

class alignas(line_pair) phase_base::by_chase_lev final : private core::on_new_words<by_chase_lev>,
                                                          public run_state {
 public:
  by_chase_lev(const phase_options& options, phase_work& work, std::atomic<bool>& stopped,
               const core::scheduler_core& pool);

  void attend(core::participant& here) noexcept override;
  bool next(core::participant& here) noexcept override;

 private:
  static core::deque_seat& seat_of(core::participant& p) noexcept {
    return static_cast<core::deque_seat&>(p);
  }
  void attach(core::participant& here, bool first) noexcept override;
  void begin(core::participant& here) noexcept override;
  void expect(core::participant& here) noexcept override;
  bool ended(const core::participant&) const noexcept override { return is_over(); }
  bool is_over() const noexcept override { return end_.over(); }
  void stand_up(core::participant& here) noexcept override;
  std::shared_ptr<void> result(core::participant& first) noexcept override;

  bool alone() const noexcept { return own_seats_.size() == 1; }
  void begin_with_own(core::participant& here) noexcept;
  void publish(core::deque_seat& here);
  bool take_own(core::deque_seat& here);
  bool steal(core::deque_seat& here);
  core::deque_seat* nearest_with_tasks(const core::deque_seat& here);
  bool steal_from(core::deque_seat& here, core::deque_seat& victim);
  bool find_task(core::deque_seat& here) noexcept;
  void drop_own(core::deque_seat& here) noexcept;
  bool anything_left() const noexcept;
  void check_out() noexcept;
  bool wait_for_tasks(core::deque_seat& here) noexcept;
  void leave_worker(core::deque_seat& here) noexcept;

  const bool fifo_;
  const bool half_;
  const core::scheduler_core& pool_;
  std::deque<core::deque_seat> own_seats_;
  core::end_counter<core::host_platform> end_;
};

}  // namespace skua::detail
