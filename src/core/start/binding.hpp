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
  domain,   // on all CPUs of the domain of its seat
  cpu       // on the CPU of its seat
};

/// From the options, SKUA_BIND and the machine. Throws bad_input.
binding chosen_binding(const scheduler_options& options, const topology& machine, std::size_t workers,
                       const detail::pins& pins);

/// The CPUs of a worker's thread with that seat. Not for `none`.
base::cpu_mask cpus_of(binding bound, const topology& machine, const seat& at) noexcept;

/// The seats of a scheduler. While it lives, the CPUs to which its workers are bound are taken: later schedulers of this
/// process whose workers are bound to one CPU each prefer others.
class claimed_seats {
 public:
  claimed_seats(const topology& machine, std::size_t workers, const detail::pins& pins, binding bound);
  ~claimed_seats();
  claimed_seats(const claimed_seats&) = delete;
  claimed_seats& operator=(const claimed_seats&) = delete;

  const placement& seats() const noexcept { return seats_; }

 private:
  static placement choose(const topology& machine, std::size_t workers, const detail::pins& pins,
                          binding bound);
  placement seats_;
  bool are_claimed_;
};

}  // namespace skua::core
