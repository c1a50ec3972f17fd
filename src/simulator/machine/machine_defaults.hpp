// What a modelled machine has where hwloc does not say: one table, and why. docs/machines.md repeats it for users.
//
// "Of eight" is the middle of the eight machines of machines/ that exist, 2007 to 2023; the models of a paper's chip are left
// out. Where a value grows with the machine (bandwidth with cores, a transfer with its cache) it is the middle of the ratios.
// So a model by defaults is a plausible machine, not yours: whoever has measured writes a machine file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua::simulator::defaults {

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

}  // namespace skua::simulator::defaults
