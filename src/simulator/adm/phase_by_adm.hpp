// A phase by managers and messages on the ADM paper's hardware: direct messages, or user-level interrupts.
//
// The participants and managers are those of src/managers, as in src/core/phase/phase_by_messages.hpp. But messages take the
// time of the hardware, and a handler answers whatever its thread does. So no thread waits for the end of a long task,
// and none leaves. Every call of a participant reaches attend() and takes the time of local queues in Table 5.
// Paper: Sanchez, Yoo and Kozyrakis, "Flexible Architectural Support for Fine-Grain Scheduling" (ASPLOS 2010).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "core/phase/phase_by_messages.hpp"
#include "managers/manager.hpp"
#include "managers/worker_part.hpp"
#include "simulator/adm/message_handlers.hpp"
#include "simulator/adm/phase_on_hardware.hpp"
#include "simulator/adm/substrate.hpp"

namespace skua::simulator {

struct adm_participant final : core::on_new_words<adm_participant>, hardware_participant {
  adm_participant(const managers::manager_tree& tree, std::uint32_t index,
                  std::unique_ptr<skua::detail::phase_tasks> queue, phase_on_hardware::run_state& run);

  core::queue_of_participant seen;
  managers::worker_part part;
  std::uint64_t counted = 0;  // the number of tasks when its last operation was charged
};

class phase_by_adm final : private core::on_new_words<phase_by_adm>,
                           public phase_on_hardware,
                           public managers::reduction,
                           private message_reader {
 public:
  phase_by_adm(engine_machine& simulated_machine, message_handlers& handlers,
               const scheduler_operations& costs, std::uint32_t radix, const phase_parts& of);
  ~phase_by_adm() override;

  void attend(core::participant& here) noexcept override;
  bool next(core::participant& here) noexcept override;

 private:
  using operation = simulated_operation simulated_operations::*;

  static adm_participant& participant_of(core::participant& p) noexcept {
    return static_cast<adm_participant&>(p);
  }
  void attach(core::participant& here, bool first) noexcept override;
  void begin(core::participant& here) noexcept override;
  bool ended(const core::participant& here) const noexcept override;
  bool is_over() const noexcept override { return over_; }
  std::shared_ptr<void> result(core::participant& first) noexcept override;
  std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void> b) override;

  // message_reader
  void receive(const managers::envelope& sent, managers::outbox& out) override;
  void posted(std::uint32_t worker, const managers::envelope& sent, cycles now) override;
  void interrupt(std::uint32_t worker, cycles busy) override;
  void carried_out(operation which, cycles busy) override { machine_.carried_out(which, busy); }
  cycles handler_time(std::uint32_t worker, cycles alone) override {
    return machine_.handler_time(own_participants_[worker].thread, alone);
  }

  void read_for(adm_participant& one, const managers::envelope& sent, managers::outbox& out);
  cycles time_of(operation own) const noexcept;
  void post(adm_participant& here, managers::outbox& out, operation own) noexcept;
  void tell_managers();
  void block(adm_participant& here) noexcept;
  bool wait_for_tasks(adm_participant& here) noexcept;

  message_handlers& handlers_;
  const scheduler_operations costs_;
  const managers::manager_tree tree_;
  std::deque<adm_participant> own_participants_;
  std::deque<managers::manager> managers_;
  bool over_ = false;
  cycles last_part_ = 0, last_result_ = 0;  // of a reduction: the times of its last part and of its result
  const core::scheduler_core& pool_;
};

}  // namespace skua::simulator
