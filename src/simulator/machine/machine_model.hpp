// A modelled machine: what a file of machines/ says about it, or what hwloc does and defaults for the rest, checked.
//
// Times are in cycles, sizes in bytes. docs/machines.md describes the files, machine_defaults.hpp the defaults.
//
// Example:
//   machine_model machine = find_machine("opteron-8380-4s");        // or "host", "mine.json", "server.xml",
//   machine.hops[machine.hardware[0].package][machine.hardware[15].package];  // "package:2 l3:1 core:4 pu:2"; 2 hops
//   machine.instance_of(2, 0) == machine.instance_of(2, 3);         // hardware threads 0 and 3 share an L3
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skua/detail/export.hpp>
#include <skua/topology.hpp>

#include "simulator/machine/assumptions.hpp"

namespace skua::simulator {

/// What a cache holds of what the smaller ones before it hold. inclusive: all of it; exclusive: nothing; victim: only
/// what they have thrown out; independent: whatever was asked for here.
enum class cache_content { inclusive, exclusive, victim, independent };

/// A level of caches. Where those of one level differ, as on hybrid machines, bytes, line and ways are of the first
/// thread's, and `cores` is the most that share one; machine_model::instances has each.
struct cache_model {
  unsigned level;  // 1 is the first of machine_model::caches, 2 the next
  std::uint64_t bytes;
  unsigned line, ways;
  unsigned latency;   // of a hit
  std::size_t cores;  // that share one
  cache_content content;

  std::uint64_t sets() const noexcept { return bytes / (std::uint64_t{line} * ways); }
};

/// One cache, and who has it.
struct cache_instance {
  std::uint64_t bytes;
  unsigned line, ways;
  std::vector<std::uint32_t> threads;  // ascending

  std::uint64_t sets() const noexcept { return bytes / (std::uint64_t{line} * ways); }
};

inline constexpr std::uint32_t no_cache = ~std::uint32_t{0};

struct hardware_thread {
  std::uint32_t cpu;                  // operating-system index, as in skua::seat
  std::uint32_t core, package, node;  // node: of those that have threads, so not always skua::seat's
  std::vector<std::uint32_t> caches;  // by level: which of its instances, or no_cache
};

/// What it takes to get a line from another core, by where that is; absent where the machine has no such neighbours.
struct transfer_model {
  struct in_cache {
    std::optional<unsigned> modified, clean;
  };
  std::optional<unsigned> same_core;     // another thread of the core
  std::vector<in_cache> by_cache;        // by level: another core that shares this cache, and no smaller one
  std::optional<unsigned> same_package;  // but another last-level cache
  std::vector<unsigned> by_hops;         // the nearest other package first
  unsigned atomic_extra = 0;
  unsigned upgrade = 0;  // of a line that others share, to write it
};

struct memory_model {
  std::vector<unsigned> latency_by_hops;          // its own node first
  double bytes_a_cycle;                           // of one node's controllers, sustained
  unsigned misses_at_once;                        // that a core waits for, of one range of data
  std::optional<double> core_bytes_a_cycle = {};  // the most that one core draws from memory
  std::optional<unsigned> lines_ahead = {};       // that the prefetcher runs; else memory_assumptions'
  bool prefetch_crosses_pages = false;            // of data that go on there
  unsigned overlap_percent =
      0;  // of the shorter one of a leaf's fetching and computing, behind the longer one
};

/// Where one value comes from: a letter (S stated in a paper, V read in a public source, M remembered from the literature,
/// E estimate), "hwloc" or "default", and perhaps more. Empty where the file does not say.
struct value_source {
  std::string name, value, source;  // the name is that of the key in a file
};

enum class page_policy { first_touch, interleave, uniform };

struct machine_model {
  std::string name, title;
  double ghz;
  topology machine;
  std::size_t packages, nodes, cores;
  std::size_t threads_a_core;       // the most
  std::vector<cache_model> caches;  // the smallest first
  transfer_model transfers;
  memory_model memory;
  std::vector<std::vector<unsigned>> hops;  // between packages
  std::optional<double> link_bytes_a_cycle;
  page_policy pages;
  runtime_costs costs = {};

  unsigned smt_gain_percent =
      defaults::smt_gain_percent;  // what threads of a core compute more than one alone

  std::vector<hardware_thread> hardware = {};  // in the order of the topology: a core's follow each other
  std::vector<std::vector<cache_instance>> instances =
      {};  // by level, as caches; in the order of their first threads
  std::vector<std::vector<unsigned>> node_hops = {};  // between memory nodes, of memory.latency_by_hops
  std::vector<value_source> sources = {};

  std::size_t threads() const noexcept { return hardware.size(); }
  /// Where threads that nobody has placed run: CPU 0 may be offline.
  std::uint32_t first_cpu() const noexcept { return hardware.front().cpu; }
  /// Which of instances[level] a thread has, or no_cache. `level` counts from 0, as caches do.
  std::size_t instance_of(std::size_t level, std::size_t thread) const {
    return hardware[thread].caches[level];
  }
  /// The smallest level that two threads share; caches.size() where they share none.
  std::size_t shared_level(std::size_t a, std::size_t b) const;
  /// Which thread is on a CPU; threads() where none is.
  std::size_t thread_on(std::uint32_t cpu) const;
};

/// What refusals say of a file that is none.
inline constexpr const char* allowed_machine_file = "a machine as in machines/*.json";

/// Of a machine file's text. Throws bad_input that names the file, the value and what is allowed.
machine_model parse_machine(std::string_view file, std::string_view text);

/// Of the parts that a model is made of, in the order of the file. A value says it itself, {"v": 45, "src": "M"}, or a cache
/// does for all of its values. The text must be a machine that parse_machine() accepts.
std::vector<value_source> value_sources(std::string_view text);

/// Of any topology: what hwloc knows of it, and defaults for the rest. Throws bad_input for more than 512 hardware threads.
SKUA_API machine_model model_of(const topology& machine);

/// Those that come with skua by name; a machine file (.json); else whatever topology::parse takes: "host", hwloc XML, a
/// synthetic description. Throws bad_input, with the nearest name where it could be one.
SKUA_API machine_model find_machine(const std::string& name_or_file);
/// With so many threads a core, where its file has several `smt_choices`; 0: as usual. Else throws bad_input.
machine_model find_machine(const std::string& name_or_file, unsigned threads_a_core);
/// In the order of their names.
SKUA_API std::vector<std::string_view> known_machines();

// ---- the machines of machines/

// The files of machines/, which the build puts into the library (cmake/machines.cmake).

struct known_machine {
  std::string_view name, text;
};
extern const std::span<const known_machine> all_known_machines;  // in the order of their names

// ---- caches of threads

// Who has which cache: the explicit lists of a model, from whatever describes the machine.

using cache_instances = std::vector<std::vector<cache_instance>>;  // by level

/// The hardware threads of a machine, without caches. Memory nodes without a thread are not counted.
std::vector<hardware_thread> hardware_of(const topology& machine);

/// Orders the instances of each level by their first threads and tells each thread of the model which are its own.
void set_instances(machine_model& model, cache_instances instances);

/// Sets them as the model's caches say how many cores share one: the first k cores, the next k.
void share_by_cores(machine_model& model);

// ---- checks

// What must hold for every model, whatever it comes from.

inline constexpr std::size_t max_threads = 512;  // of one machine
inline constexpr unsigned max_hops = 16;
inline constexpr std::uint64_t max_cycles = 1'000'000;  // that anything takes
/// As machine files call transfers from the nearest other package, the next ...; they name no more.
inline constexpr std::string_view hop_names[] = {"one_hop", "two_hop", "three_hop", "four_hop"};

/// Throws bad_input: "x.xml: the machine has 600 hardware threads; allowed: 1 to 512; nearest: 512".
void check_threads(std::string_view source, std::size_t threads);

/// Does everybody in a package have the last level of caches in common?
bool packages_share_a_cache(const machine_model& machine);

/// Throws bad_input that names the source, the value by its key in a machine file, and what is allowed: sizes that can be,
/// caches that nest, tables that reach as far as the machine does, and nothing nearer that is slower.
void check_machine(std::string_view source, const machine_model& machine);

}  // namespace skua::simulator
