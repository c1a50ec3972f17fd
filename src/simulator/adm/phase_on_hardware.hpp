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

inline void phase_on_hardware::attach_to_hardware(hardware_participant& here) noexcept {
  here.owner = skua::detail::current;
  here.own_queue->set_owner(skua::detail::current);
  skua::detail::host_atomics::quietly(here.stack).store(skua::detail::current, std::memory_order_relaxed);
  here.thread = machine_.thread_running();
}

inline void phase_on_hardware::detach(core::participant& one) noexcept {
  auto& here = static_cast<hardware_participant&>(one);
  here.owner = nullptr;
  here.own_queue->set_owner(nullptr);
  skua::detail::host_atomics::quietly(here.stack).store(nullptr, std::memory_order_relaxed);
}

inline void phase_on_hardware::wait(hardware_participant& here) noexcept {
  here.thread = machine_.thread_running();
  here.waits = true;
  here.notified = false;
  if (machine_.wait_to_be_told(skua::detail::phase_leave_after_ns)) return;
  here.waits = false;
  if (away_.leave(here.away, [&] { return here.notified; })) wait_until_called(here);
}

inline void phase_on_hardware::notify(hardware_participant& one) noexcept {
  one.notified = true;
  if (std::exchange(one.waits, false))
    machine_.tell(one.thread);
  else
    call_back(one);
}

}  // namespace skua::simulator
