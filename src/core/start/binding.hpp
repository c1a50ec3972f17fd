// Where the threads of workers may run, and the CPUs that bound workers have. See docs/decisions/0021.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skua/scheduler.hpp>

#include "base/bind_thread.hpp"
#include "topology/pins.hpp"

namespace skua::core {

enum class binding {
  none,     // where the thread that made the scheduler may run
  process,  // on all CPUs of the process
  domain,   // on all CPUs of its domain
  cpu       // on the CPU where it was placed
};

/// From the options, SKUA_BIND and the machine. Throws bad_input.
binding chosen_binding(const scheduler_options& options, const topology& machine, std::size_t workers,
                       const detail::pins& pins);

/// The CPUs of the thread of a worker that was placed at `at`. Not for `none`.
base::cpu_mask cpus_of(binding bound, const topology& machine, const seat& at) noexcept;

/// Where the workers of a scheduler are. While it lives, the CPUs to which its workers are bound are taken: later schedulers of this
/// process whose workers are bound to one CPU each prefer others.
class claimed_placement {
 public:
  claimed_placement(const topology& machine, std::size_t workers, const detail::pins& pins, binding bound);
  ~claimed_placement();
  claimed_placement(const claimed_placement&) = delete;
  claimed_placement& operator=(const claimed_placement&) = delete;

  const placement& placed() const noexcept { return placed_; }

 private:
  static placement choose(const topology& machine, std::size_t workers, const detail::pins& pins,
                          binding bound);
  placement placed_;
  bool are_claimed_;
};

}  // namespace skua::core
