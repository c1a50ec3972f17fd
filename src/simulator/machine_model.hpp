// A modelled machine: what a file of machines/ says about it, checked.
//
// Times are in cycles, sizes in bytes. Every value of a file may say where it comes from, as {"v": 45, "src": "M"}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace skua::simulator {

/// What a cache holds of what the smaller ones before it hold. inclusive: all of it; exclusive: nothing; victim: only
/// what they have thrown out; independent: whatever was asked for here.
enum class cache_content { inclusive, exclusive, victim, independent };

struct cache_model {
  unsigned level;
  std::uint64_t bytes;
  unsigned line, ways;
  unsigned latency;   // of a hit
  std::size_t cores;  // that share one
  cache_content content;

  std::uint64_t sets() const noexcept { return bytes / (std::uint64_t{line} * ways); }
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
  std::vector<unsigned> latency_by_hops;  // its own node first
  double bytes_a_cycle;                   // of one node's controllers, sustained
};

enum class page_policy { first_touch, interleave, uniform };

struct machine_model {
  std::string name, title;
  double ghz;
  topology machine;
  std::size_t packages, nodes, cores, threads_a_core;
  std::vector<cache_model> caches;  // the smallest first
  transfer_model transfers;
  memory_model memory;
  std::vector<std::vector<unsigned>> hops;  // between packages
  std::optional<double> link_bytes_a_cycle;
  page_policy pages;

  std::size_t threads() const noexcept { return cores * threads_a_core; }
};

/// Of a file's text. Throws bad_input that names the file, the value and what is allowed.
machine_model parse_machine(std::string_view file, std::string_view text);

/// Those that come with skua, by name, and a file by its path. Throws bad_input with the nearest name.
machine_model find_machine(const std::string& name_or_file);
/// In the order of their names.
std::vector<std::string_view> known_machines();

}  // namespace skua::simulator
