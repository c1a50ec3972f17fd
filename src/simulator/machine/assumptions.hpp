// What the runtime and the kernel take. Machine files may say it, as `skua calibrate` does; else these hold: estimates,
// tuned to no figure, in cycles or in nanoseconds of the machine's clock.
#pragma once

#include <cstdint>

namespace skua::simulator {

struct runtime_costs {
  // What is inlined and does not ask for the time: 42 instructions a fork with its join, 85 a group task, 16 a short
  // iteration of a loop (tests/stress/fork_instructions.py), three instructions a cycle.
  std::uint64_t fork_cycles = 14, group_task_cycles = 28, loop_chunk_cycles = 6;

  // Any use of a shared word where words are not modelled (detail_level::steps).
  std::uint64_t step_cycles = 10;

  // One round of a spin loop: a pause instruction of processors before Skylake.
  std::uint64_t relax_cycles = 40;

  // futex(2): what a sleep that ends by the clock takes beyond its time, to wake somebody, and until he runs.
  std::uint64_t sleep_ns = 1000, wake_ns = 1000, awake_after_ns = 3000;
  std::uint64_t yield_ns = 500;

  // membarrier(2): an interrupt on every CPU that runs the process, and the answer of the last.
  std::uint64_t membarrier_ns = 2000;

  // A thread for a call that may block.
  std::uint64_t new_thread_ns = 20'000;
};

/// By their names in machine files, `runtime` and `os`.
struct named_cost {
  const char* name;
  std::uint64_t runtime_costs::* value;
};
inline constexpr named_cost cycle_costs[] = {{"fork_cycles", &runtime_costs::fork_cycles},
                                             {"group_task_cycles", &runtime_costs::group_task_cycles},
                                             {"loop_chunk_cycles", &runtime_costs::loop_chunk_cycles},
                                             {"step_cycles", &runtime_costs::step_cycles},
                                             {"relax_cycles", &runtime_costs::relax_cycles}};
inline constexpr named_cost kernel_costs[] = {{"sleep_ns", &runtime_costs::sleep_ns},
                                              {"wake_ns", &runtime_costs::wake_ns},
                                              {"awake_after_ns", &runtime_costs::awake_after_ns},
                                              {"yield_ns", &runtime_costs::yield_ns},
                                              {"membarrier_ns", &runtime_costs::membarrier_ns},
                                              {"new_thread_ns", &runtime_costs::new_thread_ns}};

/// How long a worker stays for the next phase (phase_crew.hpp): as long as an idle one looks for work before it sleeps.
inline constexpr std::uint64_t stand_by_ns = 200'000;
/// And from the start: longer than programs prepare their data.
inline constexpr std::uint64_t stand_by_at_first_ns = 10'000'000;

}  // namespace skua::simulator
