// What no machine's file says. Estimates, tuned to no figure; in cycles or in nanoseconds of the machine's clock.
#pragma once

#include <cstdint>

namespace skua::simulator::assumed {

// What is inlined and does not ask for the time: 42 instructions a fork with its join, 85 a group task, 16 a short
// iteration of a loop (tests/stress/fork_instructions.py), three instructions a cycle.
inline constexpr std::uint64_t fork_cycles = 14, group_task_cycles = 28, loop_chunk_cycles = 6;

// Any use of a shared word where words are not modelled (detail_level::steps).
inline constexpr std::uint64_t step_cycles = 10;

// One round of a spin loop: a pause instruction of processors before Skylake.
inline constexpr std::uint64_t relax_cycles = 40;

// futex(2): to go to sleep, to wake somebody, and until he runs.
inline constexpr std::uint64_t sleep_ns = 1000, wake_ns = 1000, awake_after_ns = 3000;
inline constexpr std::uint64_t yield_ns = 500;

// membarrier(2): an interrupt on every CPU that runs the process, and the answer of the last.
inline constexpr std::uint64_t membarrier_ns = 2000;

// How long a worker stays for the next phase (phase_crew.hpp): longer than most programs take between two; runtimes of
// loops let their threads spin for more.
inline constexpr std::uint64_t stand_by_ns = 50'000;

// A thread for a call that may block.
inline constexpr std::uint64_t new_thread_ns = 20'000;

}  // namespace skua::simulator::assumed
