// What the runtime and the kernel take. Machine files may say it, as `skua calibrate` does; else these hold: estimates,
// tuned to no figure, in cycles or in nanoseconds of the machine's clock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/machine/memory_types.hpp"

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

// ---- memory

// What the model of memory takes for granted beside what a machine's file says, all in one place and with reasons.
// Nothing here was chosen to meet a figure. The numbers can be changed in a run; the rules below are what the code does.
//
// - Coherence is MOESI on every machine, as the files' transfers are measured from cache to cache anyway: who holds a
//   modified line passes it on and stays responsible for writing it back. Only where a cache that both share has the line
//   too is it written back there at once, as inclusive caches do. (MESI machines would also write it to memory; that
//   traffic is missing.)
// - A line that nobody has modified comes from the nearest cache that has it, or for a reader from memory where memory
//   is nearer: no machine asks a far cache for what lies in the memory beside it.
// - Writing costs the transfer or, where others share the line, the file's upgrade_shared if that is more: copies are
//   invalidated while the line is on its way. The file has one number for it, so sharers nearby cost what far ones do.
// - Of a line that several wait for (the runtime's words only), transfers to a writer and from one who modified it follow
//   each other; readers of a clean line are served at the same time, as a directory answers them in a few cycles.
// - The runtime's words are never thrown out of the caches by data: they are a few kilobytes that are used all the time.
// - Replacement is least recently used. A line that is written back or thrown out to a cache which has it already keeps
//   its place there, since nobody asked for it.
// - Lines of one declared range do not depend on each other: a core asks for one a cycle, until as many are on their way as
//   its file's misses_at_once says (miss_window.hpp). So it is for ranges that are declared one after another; whatever else
//   follows waits for the last. Ranges in which each line's address stands in the one before (lists, say) are therefore too fast when
//   declared as one, as fast as they are when each is declared by itself.
// - A core that waits for one line at a time pays a hit in its first cache once a line, about what loading 64 bytes in words
//   takes; others overlap these too, since what a leaf computes with all data at hand is in the cycles it declares.
// - Computing and fetching follow each other, except for the file's overlap_percent of the shorter one: of cycles that are
//   declared after ranges, with nothing else of the thread between.
// - Pages are 4 KiB, those of the machines' operating systems. They lie in a cache's sets in the order of their numbers
//   (address_space.hpp).
// - A line takes the shortest way through the packages, over the lowest ones where there are several; the files say how
//   many hops there are, not how lines are routed. Requests, invalidations and acknowledgements take no bandwidth.
// - On a machine with one memory and several packages a package has one link, its front-side bus, in both directions,
//   and lines between packages pass both buses.
// - What a machine's file does not say costs what is next to it: a clean line from below a shared cache that has it too
//   that cache's latency, from below a victim cache what a modified one does; threads of one core the first cache's
//   latency.

inline constexpr std::size_t page_bytes = 4096;

inline constexpr unsigned max_lines_ahead = 256;
inline constexpr unsigned max_misses_at_once = 128;

struct memory_assumptions {
  /// The prefetcher follows so many streams a core and runs so far ahead of each, inside its page: both as Intel's
  /// optimisation manual gives them for the streamer of its cores from Sandy Bridge on. Others publish no figures. A
  /// machine's file may say how far ahead, and that it goes on to the page that follows.
  unsigned streams = 32;
  unsigned lines_ahead = 20;
  /// Neighbouring lines in ascending order that make a stream: the least by which a direction can be told.
  unsigned lines_before_a_stream = 2;
  /// Bandwidth is handed out in slices of so many cycles: accesses that come in another order than their times share
  /// what a slice has left. Short beside every memory's latency, so that bursts still queue.
  cycles slice = 64;
};

// ---- defaults

// What a modelled machine has where hwloc does not say: one table, and why. docs/machines.md repeats it for users.
//
// "Of eight" is the middle of the eight machines of machines/ that exist, 2007 to 2023; the models of a paper's chip are left
// out. Where a value grows with the machine (bandwidth with cores, a transfer with its cache) it is the middle of the ratios.
// So a model by defaults is a plausible machine, not yours: whoever has measured writes a machine file.

namespace defaults {

struct cache_default {
  std::uint64_t bytes;
  unsigned ways, latency;  // latency: cycles of a hit
};

/// By level. Sizes and ways hold where hwloc names no cache or not these, the latency always: hwloc knows none.
inline constexpr cache_default caches[] = {
    {32 << 10, 8, 4},    // of eight: 32 KB, 3 to 5 cycles
    {256 << 10, 8, 14},  // of eight: 256 KB is the most frequent, 10 to 15 cycles
    {8 << 20, 16, 48},   // of eight: 2 to 105 MB, 32 to 105 cycles
    {32 << 20, 16,
     90},  // none of eight has an L4: between the L3 and memory, nearer to the L3 as an eDRAM is
    {64 << 20, 16, 130}  // nor an L5
};
/// Nearly all processors; also where hwloc names 128 for an L3's tags, since one line is what moves.
inline constexpr unsigned line = 64;

/// Of eight: 2.2 to 3.5. Turns cycles into seconds and nothing else.
inline constexpr double gigahertz = 2.67;

/// What all threads of a core that compute at the same time get done more than one alone: Intel speaks of up to 30% where it
/// introduces such threads, and nothing says what it is for a program at hand.
inline constexpr unsigned smt_gain_percent = 30;

// Transfers of a line, in cycles.
/// Of the five with such threads: 19 to 32. They share an L1, yet a fresh store has to leave the other's buffer.
inline constexpr unsigned same_core = 20;
/// A line that a neighbour has changed takes this many times a hit of the cache they share: of eight 1.6 to 2.6 for the
/// L3. One that nobody changed takes a hit, in all eight.
inline constexpr unsigned modified_times_hit = 2;
/// Cores of one package without a common cache: two thirds of the way to another package. Between the halves of an EPYC it
/// takes 350, half of its 690 to the other package; between tiles of a mesh 90 to 150.
inline constexpr unsigned same_package = 160;
/// Of eight: 190 to 690 to the nearest package.
inline constexpr unsigned first_hop = 245;
/// Of the three with more than one: 55 to 110 more for each further hop.
inline constexpr unsigned further_hop = 60;
/// Taking a line from its sharers: of eight 110 to 330. A guess: the least where there is one package, else as long as
/// asking the nearest other one.
inline constexpr unsigned upgrade_within = 110;
inline constexpr unsigned upgrade_across = first_hop;
/// The newer of eight measured transfers by atomics, so it is in the figures.
inline constexpr unsigned atomic_extra = 0;

// Memory.
/// Of eight: 175 to 430 cycles from one's own node.
inline constexpr unsigned memory_latency = 250;
/// Firmware calls another node 20 or 21 (10 is its own) where the eight take 1.2 to 1.7 times as long, mostly 1.6: 60% of
/// what firmware adds. So 16 means 1.36 times, 21 1.66 times, 31 2.26 times.
inline constexpr unsigned percent_of_distance = 60;
/// Of a node, tenths of a byte a cycle for each of its cores, of eight 2 to 19; but one core alone draws 4 bytes.
inline constexpr unsigned tenths_of_bytes_a_core = 12, min_tenths_of_bytes = 40;
/// What a link between packages carries of a node's bandwidth: of eight 44 to 82 percent.
inline constexpr unsigned link_percent = 60;
/// Lines that a core waits for at a time, of one range of data: the line-fill buffers of Intel's cores from Nehalem to
/// Broadwell. Core 2 and K10 have 8, later ones 12 to 24.
inline constexpr unsigned misses_at_once = 10;

// Hops.
/// NUMA distances where there are none: to a node of another package and of one's own. Firmware says 20 or 21, and 11 or 12
/// where a package is cut into nodes.
inline constexpr unsigned other_package = 20, same_package_other_node = 11;
/// Distances of NUMA nodes that lie within this many percent count as one number of hops: 20 and 21 do, the 14 and 16 of a
/// ladder of packages do not.
inline constexpr unsigned same_distance_percent = 10;

}  // namespace defaults

}  // namespace skua::simulator
