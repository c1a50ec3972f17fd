// The hardware for tasks of a simulated machine with a substrate (simulation::substrate), on which its phases run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <skua/detail/phase_core.hpp>
#include <skua/topology.hpp>

namespace skua::core {

class scheduler_core;

/// For virtual threads. Programs of such a machine consist of phases, so workers stay for the next phase
/// (docs/decisions/0015).
class phase_hardware {
 public:
  using run_state = detail::phase_base::run_state;

  /// A run of a phase on the hardware. Null: the core's own code runs the phase. Throws bad_input for a pool that does not
  /// fit onto the hardware.
  virtual std::unique_ptr<run_state> make_phase(const phase_options& options, detail::phase_work& work,
                                                std::atomic<bool>& stopped, const scheduler_core& pool) = 0;
  /// Charges the combination of the parts of a reduction, one for each of `threads`, through shared memory.
  virtual void reduce_parts(std::size_t threads) noexcept = 0;

  /// The caller has taken part in a phase.
  virtual void took_part() noexcept = 0;
  /// Called by a worker that has nothing to do: takes part in a phase that begins soon. False: no phase has begun, or
  /// the worker does not stay.
  virtual bool stand_by(worker_id worker) noexcept = 0;
  /// An external thread finds no free worker: one of the workers that stand by leaves.
  virtual void external_thread_waits() noexcept = 0;
  /// The workers that stand by become participants of this run. Returns their number.
  virtual std::size_t summon(run_state& run) noexcept = 0;
  /// Waits until the summoned workers have left the run. False: the calling thread is wanted for something else. Then
  /// run.all_summoned_left() is called when they have left, and the caller calls dismiss() after that.
  virtual bool wait_for_summoned(run_state& run, bool (*is_wanted)()) noexcept = 0;
  virtual void dismiss(const run_state& run) noexcept = 0;

 protected:
  ~phase_hardware() = default;
};

/// The hardware of the calling thread's machine. Null for a real thread and on a machine without a substrate.
phase_hardware* phase_hardware_here() noexcept;

}  // namespace skua::core
