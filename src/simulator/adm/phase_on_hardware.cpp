#include "simulator/adm/phase_on_hardware.hpp"

namespace skua::simulator {

using skua::detail::current;
using skua::detail::host_atomics;

void phase_on_hardware::attach_to_hardware(hardware_participant& here) noexcept {
  here.owner = current;
  here.own_queue->set_owner(current);
  host_atomics::quietly(here.stack).store(current, std::memory_order_relaxed);
  here.thread = machine_.thread_running();
}

void phase_on_hardware::detach(core::participant& one) noexcept {
  auto& here = static_cast<hardware_participant&>(one);
  here.owner = nullptr;
  here.own_queue->set_owner(nullptr);
  host_atomics::quietly(here.stack).store(nullptr, std::memory_order_relaxed);
}

void phase_on_hardware::wait(hardware_participant& here) noexcept {
  here.thread = machine_.thread_running();
  here.waits = true;
  here.notified = false;
  if (machine_.wait_to_be_told(skua::detail::phase_leave_after_ns)) return;
  here.waits = false;
  if (away_.leave(here.away, [&] { return here.notified; })) wait_until_called(here);
}

void phase_on_hardware::notify(hardware_participant& one) noexcept {
  one.notified = true;
  if (std::exchange(one.waits, false))
    machine_.tell(one.thread);
  else
    call_back(one);
}

}  // namespace skua::simulator
