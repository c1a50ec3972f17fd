// The model of a machine: the checked contents of a file of machines/, or what hwloc reports completed by defaults.
//
// Times are in cycles, sizes in bytes. docs/machines.md describes the files, assumptions.hpp has the defaults.
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

/// Which lines a cache holds. inclusive: all lines of the smaller caches before it; exclusive: none of their lines;
/// victim: only lines that they have evicted; independent: the lines that were requested here.
enum class cache_content { inclusive, exclusive, victim, independent };

/// A level of caches. If the caches of a level differ, as on hybrid machines, then bytes, line and ways are those of
/// the first thread's cache, and `cores` is the maximum number of cores that share one. machine_model::instances lists
/// each.
struct cache_model {
  unsigned level;  // 1 is the first of machine_model::caches, 2 the next
  std::uint64_t bytes;
  unsigned line, ways;
  unsigned latency;   // of a hit
  std::size_t cores;  // that share one cache
  cache_content content;

  std::uint64_t sets() const noexcept { return bytes / (std::uint64_t{line} * ways); }
};

/// One cache, and the threads that use it.
struct cache_instance {
  std::uint64_t bytes;
  unsigned line, ways;
  std::vector<std::uint32_t> threads;  // ascending

  std::uint64_t sets() const noexcept { return bytes / (std::uint64_t{line} * ways); }
};

inline constexpr std::uint32_t no_cache = ~std::uint32_t{0};

struct hardware_thread {
  std::uint32_t cpu;                  // the operating system's number, as in skua::seat
  std::uint32_t core, package, node;  // node: counts only nodes with threads, unlike skua::seat
  std::vector<std::uint32_t> caches;  // by level: the index of its instance, or no_cache
};

/// The time of getting a line from another core, by the position of that core. A value is absent if the machine has no
/// such pair of cores.
struct transfer_model {
  struct in_cache {
    std::optional<unsigned> modified, clean;
  };
  std::optional<unsigned> same_core;     // another thread of the core
  std::vector<in_cache> by_cache;        // by level: a core that shares this cache and no smaller one
  std::optional<unsigned> same_package;  // with another last-level cache
  std::vector<unsigned> by_hops;         // the nearest other package first
  unsigned atomic_extra = 0;
  unsigned upgrade = 0;  // of writing a line that other caches share
};

struct memory_model {
  std::vector<unsigned> latency_by_hops;          // the own node first
  double bytes_a_cycle;                           // of one node's memory controllers, sustained
  unsigned misses_at_once;                        // outstanding misses of a core in one range of data
  std::optional<double> core_bytes_a_cycle = {};  // the maximum of one core
  std::optional<unsigned> lines_ahead = {};       // of the prefetcher; by default as in memory_assumptions
  bool prefetch_crosses_pages = false;            // if the data continue there
  unsigned overlap_percent =
      0;  // how much of the shorter of a leaf's fetching and computing is hidden behind the longer
};

/// The source of one value: a letter (S stated in a paper, V read in a public source, M remembered from the literature,
/// E estimate), "hwloc" or "default", possibly with a note. Empty if the file gives no source.
struct value_source {
  std::string name, value, source;  // name: the key in a machine file
};

enum class page_policy { first_touch, interleave, uniform };

struct machine_model {
  std::string name, title;
  double ghz;
  topology machine;
  std::size_t packages, nodes, cores;
  std::size_t threads_a_core;       // the maximum
  std::vector<cache_model> caches;  // the smallest level first
  transfer_model transfers;
  memory_model memory;
  std::vector<std::vector<unsigned>> hops;  // between packages
  std::optional<double> link_bytes_a_cycle;
  page_policy pages;
  runtime_costs costs = {};

  unsigned smt_gain_percent =
      defaults::smt_gain_percent;  // how much more all threads of a core compute than one alone

  std::vector<hardware_thread> hardware = {};  // in the order of the topology: threads of a core are adjacent
  std::vector<std::vector<cache_instance>> instances =
      {};  // by level, like `caches`; ordered by their first threads
  std::vector<std::vector<unsigned>> node_hops =
      {};  // between memory nodes: indices of memory.latency_by_hops
  std::vector<value_source> sources = {};

  std::size_t threads() const noexcept { return hardware.size(); }
  /// The CPU of threads that are not pinned. CPU 0 may be offline.
  std::uint32_t first_cpu() const noexcept { return hardware.front().cpu; }
  /// The index in instances[level] of a thread's cache, or no_cache. `level` counts from 0, like `caches`.
  std::size_t instance_of(std::size_t level, std::size_t thread) const {
    return hardware[thread].caches[level];
  }
  /// The smallest level that two threads share; caches.size() if they share none.
  std::size_t shared_level(std::size_t a, std::size_t b) const;
  /// The thread on a CPU; threads() if there is none.
  std::size_t thread_on(std::uint32_t cpu) const;
};

/// What error messages say is allowed if a file is not a machine file.
inline constexpr const char* allowed_machine_file = "a machine as in machines/*.json";

/// Makes a model of a machine file's text. Throws bad_input that names the file, the value and what is allowed.
machine_model parse_machine(std::string_view file, std::string_view text);

/// The sources of all values that a model is made of, in the order of the file. A value names its own source,
/// {"v": 45, "src": "M"}, or a cache names one for all its values. parse_machine() must accept the text.
std::vector<value_source> value_sources(std::string_view text);

/// Makes a model of a topology: what hwloc reports, and defaults for the rest. Throws bad_input for more than 512
/// hardware threads.
SKUA_API machine_model model_of(const topology& machine);

/// Accepts the name of a machine that comes with skua, a machine file (.json), or what topology::parse accepts: "host",
/// hwloc XML, a synthetic description. Throws bad_input, with the nearest name if the text may be a misspelt name.
SKUA_API machine_model find_machine(const std::string& name_or_file);
/// Uses this number of threads per core, one of the file's `smt_choices`; 0 is the default. Otherwise throws bad_input.
machine_model find_machine(const std::string& name_or_file, unsigned threads_a_core);
/// The names of the machines that come with skua, sorted.
SKUA_API std::vector<std::string_view> known_machines();

// ---- the machines of machines/

// The build embeds the files of machines/ in the library (cmake/machines.cmake).

struct known_machine {
  std::string_view name, text;
};
extern const std::span<const known_machine> all_known_machines;  // sorted by name

// ---- hardware threads and their caches, for the makers of models

using cache_instances = std::vector<std::vector<cache_instance>>;  // by level

/// The hardware threads of a machine, still without caches. Memory nodes without a thread are not counted.
std::vector<hardware_thread> hardware_of(const topology& machine);

/// Sorts the instances of each level by their first threads and sets the cache indices of the model's threads.
void set_instances(machine_model& model, cache_instances instances);

/// Sets the instances by the number k of cores that share a cache: the first k cores, the next k.
void share_by_cores(machine_model& model);

// ---- checks

// These conditions hold for every model, from a file or from a topology.

inline constexpr std::size_t max_threads = 512;  // of one machine
inline constexpr unsigned max_hops = 16;
inline constexpr std::uint64_t max_cycles = 1'000'000;  // of any operation
/// The names in machine files of transfers from the nearest other package, the next one ...
inline constexpr std::string_view hop_names[] = {"one_hop", "two_hop", "three_hop", "four_hop"};

/// Throws bad_input: "x.xml: the machine has 600 hardware threads; allowed: 1 to 512; nearest: 512".
void check_threads(std::string_view source, std::size_t threads);

/// Whether all cores of each package share one cache of the last level.
bool packages_share_a_cache(const machine_model& machine);

/// Throws bad_input that names the source, the key of the value in a machine file, and what is allowed. Sizes must be
/// possible, caches must nest, tables must cover all distances of the machine, and nothing nearer may be slower.
void check_machine(std::string_view source, const machine_model& machine);

}  // namespace skua::simulator
