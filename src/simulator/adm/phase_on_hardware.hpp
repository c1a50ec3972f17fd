// The common part of phases on a chip's own hardware: how a participant attaches, waits for the hardware, and is
// notified. The data of a participant are not words of the simulated machine and take no time.
#pragma once

#include <memory>
#include <utility>

#include "core/phase/phase_run.hpp"
#include "simulator/engine_machine.hpp"

namespace skua::simulator {

struct hardware_participant : core::participant {
  hardware_participant(std::uint32_t index, std::unique_ptr<skua::detail::phase_tasks> queue)
      : participant(index, std::move(queue)) {
    mail = &core::no_mail;
    upper = 0;  // every call reaches attend()
  }

  task_context* owner = nullptr;  // the participant's stack
  worker_id thread = 0;           // the thread that runs it
  bool waits = false;             // for tasks or the end, and keeps its thread
  bool notified = false;          // there are tasks, or the end
};

class phase_on_hardware : public skua::detail::phase_base::run_state {
 protected:
  phase_on_hardware(engine_machine& simulated_machine, skua::detail::phase_work& work,
                    std::atomic<bool>& stopped)
      : run_state(work, stopped), machine_(simulated_machine) {}

  void attach_to_hardware(hardware_participant& here) noexcept;
  void detach(core::participant& here) noexcept override;
  /// Called by the participant. After some time its worker may take other work, because the end of this phase may
  /// depend on it.
  void wait(hardware_participant& here) noexcept;
  /// Called by any thread.
  void notify(hardware_participant& one) noexcept;

  engine_machine& machine_;
};

}  // namespace skua::simulator
