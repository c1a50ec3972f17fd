// What the models assume: the costs of the runtime and the kernel, the rules of the memory model, and the defaults of
// machines about which hwloc does not report enough.
//
// No value was tuned to reproduce a figure. Times are in cycles or in nanoseconds of the machine's clock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

/// The costs of the runtime and the kernel: estimates that hold if a machine file does not state them. `skua calibrate`
/// measures them.
struct runtime_costs {
  // Inlined code that does not read the clock: 42 instructions for a fork with its join, 85 for a group task, 16 for a
  // short iteration of a loop (tests/stress/fork_instructions.py), at three instructions per cycle.
  std::uint64_t fork_cycles = 14, group_task_cycles = 28, loop_chunk_cycles = 6;

  // Any access to a shared word if words are not modelled (detail_level::steps).
  std::uint64_t step_cycles = 10;

  // One round of a spin loop: a pause instruction of processors before Skylake.
  std::uint64_t relax_cycles = 40;

  // futex(2): what a timed sleep takes beyond its time, what waking a thread costs, and the time until that thread
  // runs.
  std::uint64_t sleep_ns = 1000, wake_ns = 1000, awake_after_ns = 3000;
  std::uint64_t yield_ns = 500;

  // membarrier(2): an interrupt on every CPU that runs the process, until the last one has answered.
  std::uint64_t membarrier_ns = 2000;

  // Starting a thread for a call that may block.
  std::uint64_t new_thread_ns = 20'000;
};

/// The names of the costs in machine files, in `runtime` and `os`.
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

/// How long a worker stands by for the next phase (phase_crew.hpp): as long as an idle worker looks for work before it
/// sleeps.
inline constexpr std::uint64_t stand_by_ns = 200'000;
/// How long a worker stands by before the first phase: longer than programs prepare their data.
inline constexpr std::uint64_t stand_by_at_first_ns = 10'000'000;

// ---- memory

// The rules of the memory model beyond a machine's file, with reasons. The numbers can be changed for a run. The rules
// are what the code does:
//
// - Coherence is MOESI on every machine, because the files' transfers are measured from cache to cache anyway. The
//   holder of a modified line passes it on and remains responsible for writing it back. Only if a cache that both cores
//   share also has the line, it is written back there at once, as inclusive caches do. (MESI machines would also write
//   it to memory; this traffic is missing.)
// - An unmodified line comes from the nearest cache that has it. A reader gets it from memory if memory is nearer: no
//   machine asks a far cache for a line of the memory beside it.
// - A write costs the transfer or, if other caches share the line, the file's upgrade_shared if that is larger, because
//   copies are invalidated while the line is transferred. The file has one number for it, so invalidating near sharers
//   costs as much as far ones.
// - If several threads wait for one line (only for the runtime's words), transfers to a writer and from a modifier
//   follow one another. Readers of a clean line are served at the same time, because a directory answers them in a few
//   cycles.
// - Data never evict the runtime's words. These are a few kilobytes in constant use.
// - Replacement is least recently used. A line that is written back or evicted to a cache that already has it keeps its
//   position there, because it was not requested.
// - The lines of one declared range do not depend on each other. A core requests one line per cycle until its number of
//   outstanding misses reaches the file's misses_at_once (miss_window). The same holds across ranges that are declared
//   one directly after another; any other operation waits for the last line. So ranges in which each line holds the
//   address of the next (lists, say) are too fast, whether declared as one range or one by one.
// - A core that waits for one line at a time pays a hit in its first cache per line, about the time of loading 64 bytes
//   in words. Other cores overlap these hits too, because the cycles that a leaf declares already assume data at hand.
// - Computing and fetching follow one another, except for the file's overlap_percent of the shorter of the two. The
//   overlap applies to cycles that a thread declares after ranges, with nothing in between.
// - Pages are 4 KiB, as in the machines' operating systems. They fill the sets of a cache in the order of their numbers
//   (address_space.hpp).
// - A line takes the shortest route through the packages, over the lowest-numbered ones if there are several, because
//   the files state hops and not routes. Requests, invalidations and acknowledgements take no bandwidth.
// - On a machine with one memory and several packages, each package has one link, its front-side bus, for both
//   directions. Lines between packages pass both buses.
// - What a machine's file does not state costs as much as its nearest neighbour. A clean line from below a shared cache
//   that also has it costs that cache's latency; from below a victim cache it costs as much as a modified line. Threads
//   of one core pay the first cache's latency.

inline constexpr std::size_t page_bytes = 4096;

inline constexpr unsigned max_lines_ahead = 256;
inline constexpr unsigned max_misses_at_once = 128;

struct memory_assumptions {
  /// The prefetcher follows this number of streams per core and runs this far ahead of each, within its page. Intel's
  /// optimisation manual gives both values for the streamer of its cores from Sandy Bridge on; others publish no
  /// figures. A machine's file may change how far ahead it runs, and let it continue on the next page.
  unsigned streams = 32;
  unsigned lines_ahead = 20;
  /// The number of adjacent lines in ascending order that start a stream: the minimum that shows a direction.
  unsigned lines_before_a_stream = 2;
  /// Bandwidth is allotted in slices of this number of cycles. Accesses that arrive out of the order of their times
  /// share what a slice has left. A slice is short beside every memory latency, so bursts still queue.
  cycles slice = 64;
};

// ---- defaults

// The values of a modelled machine that hwloc does not report, with reasons. docs/machines.md repeats this table for
// users.
//
// "Of eight" is the median of the eight real machines of machines/, 2007 to 2023; the models of a paper's chip are left
// out. If a value grows with the machine (bandwidth with cores, a transfer with its cache), it is the median of the
// ratios. So a model by defaults is a plausible machine, but not yours. Write a machine file if you have measured
// yours.

namespace defaults {

struct cache_default {
  std::uint64_t bytes;
  unsigned ways, latency;  // latency: cycles of a hit
};

/// By level. The latency always holds, because hwloc reports none. Sizes and ways hold if hwloc does not report them.
inline constexpr cache_default caches[] = {
    {32 << 10, 8, 4},    // of eight: 32 KB, 3 to 5 cycles
    {256 << 10, 8, 14},  // of eight: 256 KB is the most frequent, 10 to 15 cycles
    {8 << 20, 16, 48},   // of eight: 2 to 105 MB, 32 to 105 cycles
    {32 << 20, 16, 90},  // none of eight has an L4: between L3 and memory, nearer to the L3, like an eDRAM
    {64 << 20, 16, 130}  // none has an L5
};
/// The line of nearly all processors; also if hwloc reports 128 for an L3's tags, because single lines are transferred.
inline constexpr unsigned line = 64;

/// Of eight: 2.2 to 3.5. Only converts cycles to seconds.
inline constexpr double gigahertz = 2.67;

/// How much more all threads of a core compute together than one alone. Intel states up to 30% where it introduces such
/// threads; the value for a given program is unknown.
inline constexpr unsigned smt_gain_percent = 30;

// Transfers of a line, in cycles.
/// Of the five with such threads: 19 to 32. They share an L1, but a fresh store must leave the other thread's buffer.
inline constexpr unsigned same_core = 20;
/// A line that a neighbour has modified takes this multiple of a hit in the shared cache: of eight 1.6 to 2.6 for the
/// L3. An unmodified line takes a hit, in all eight.
inline constexpr unsigned modified_times_hit = 2;
/// Cores of one package without a common cache: two thirds of the time to another package. Between the halves of an
/// EPYC a transfer takes 350, half of its 690 to the other package; between tiles of a mesh it takes 90 to 150.
inline constexpr unsigned same_package = 160;
/// Of eight: 190 to 690 to the nearest package.
inline constexpr unsigned first_hop = 245;
/// Of the three with more than one hop: 55 to 110 more for each further hop.
inline constexpr unsigned further_hop = 60;
/// Taking a line from its sharers: of eight 110 to 330. A guess: the minimum on one package, else the time of a
/// transfer from the nearest other package.
inline constexpr unsigned upgrade_within = 110;
inline constexpr unsigned upgrade_across = first_hop;
/// The newer of the eight were measured with atomics, so their transfers include it.
inline constexpr unsigned atomic_extra = 0;

// Memory.
/// Of eight: 175 to 430 cycles from the own node.
inline constexpr unsigned memory_latency = 250;
/// Firmware reports 20 or 21 for another node (10 for the own one), where the eight take 1.2 to 1.7 times as long,
/// mostly 1.6: 60% of what firmware adds. So 16 means 1.36 times, 21 means 1.66 times, 31 means 2.26 times.
inline constexpr unsigned percent_of_distance = 60;
/// The bandwidth of a node in tenths of a byte per cycle for each of its cores, of eight 2 to 19. One core alone draws
/// 4 bytes.
inline constexpr unsigned tenths_of_bytes_a_core = 12, min_tenths_of_bytes = 40;
/// The bandwidth of a link between packages in percent of a node's: of eight 44 to 82.
inline constexpr unsigned link_percent = 60;
/// Outstanding misses of a core in one range of data: the line-fill buffers of Intel's cores from Nehalem to Broadwell.
/// Core 2 and K10 have 8, later cores 12 to 24.
inline constexpr unsigned misses_at_once = 10;

// Hops.
/// NUMA distances if none are reported: to a node of another package and of the own package. Firmware reports 20 or 21,
/// and 11 or 12 if a package is divided into nodes.
inline constexpr unsigned other_package = 20, same_package_other_node = 11;
/// NUMA distances within this percentage count as the same number of hops: 20 and 21 do, the 14 and 16 of a ladder of
/// packages do not.
inline constexpr unsigned same_distance_percent = 10;

}  // namespace defaults

}  // namespace skua::simulator
