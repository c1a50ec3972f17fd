// What the runs of a phase on a chip's own hardware have in common: how a participant sits, waits for the hardware, and is
// told. What we note of its seat stands for no word of the machine and takes no time.
#pragma once

#include <memory>
#include <utility>

#include "core/phase/phase_run.hpp"
#include "simulator/engine_machine.hpp"

namespace skua::simulator {

struct hardware_seat : core::participant {
  hardware_seat(std::uint32_t index, std::unique_ptr<skua::detail::phase_tasks> queue)
      : participant(index, std::move(queue)) {
    mail = &core::no_mail;
    upper = 0;  // every call comes to attend()
  }

  task_context* owner = nullptr;  // the participant's stack
  worker_id thread = 0;           // where that runs
  bool waits = false;             // for tasks or the end, and keeps its thread
  bool told = false;              // that there is something
};

class phase_on_hardware : public skua::detail::phase_base::run_state {
 protected:
  phase_on_hardware(engine_machine& simulated_machine, skua::detail::phase_work& work,
                    std::atomic<bool>& stopped)
      : run_state(work, stopped), machine_(simulated_machine) {}

  void attach_to_hardware(hardware_seat& here) noexcept;
  void detach(core::participant& here) noexcept override;
  /// By its participant. After a while its worker may have something else to do, on which the end of this phase may
  /// depend.
  void wait(hardware_seat& here) noexcept;
  /// By anybody.
  void tell(hardware_seat& one) noexcept;

  engine_machine& machine_;
};

}  // namespace skua::simulator
