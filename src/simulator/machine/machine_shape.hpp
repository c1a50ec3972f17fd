// Where the parts of a modelled machine are, by number, and how far apart they are.
//
// Threads are numbered in the machine's logical order. The model's lists say which thread has which parts, because
// cores may differ in their number of threads and in the cores that they share a cache with, and packages in their
// number of cores. Caches are numbered level by level, the smallest level first. At the end of each level come empty
// caches for the cores that lack this level.
//
// A distance is a number too; smaller is nearer. Threads of one core have distance 0. Cores that share a cache of level
// index l, and no smaller one, have distance 1 + l. Then follow cores of the same package, then other packages by hops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

/// Whether a cache receives every line that is requested through it. Other caches receive only what the next smaller
/// cache evicts.
constexpr bool takes_what_is_asked_for(cache_content content) noexcept {
  return content == cache_content::inclusive || content == cache_content::independent;
}

class machine_shape {
 public:
  /// Throws bad_input if caches overlap without nesting, span packages, or have lines of different sizes.
  explicit machine_shape(const machine_model& machine);

  std::size_t threads() const noexcept { return core_.size(); }
  std::size_t cores() const noexcept { return package_.size(); }
  std::size_t packages() const noexcept { return packages_; }
  std::size_t nodes() const noexcept { return nodes_; }
  std::size_t line_bytes() const noexcept { return line_bytes_; }
  std::size_t core_of(std::size_t thread) const noexcept { return core_[thread]; }
  std::size_t package_of_core(std::size_t core) const noexcept { return package_[core]; }
  std::size_t node_of_core(std::size_t core) const noexcept { return node_[core]; }
  std::size_t package_of_node(std::size_t node) const noexcept { return package_of_node_[node]; }

  std::size_t levels() const noexcept { return latency_.size(); }
  std::size_t caches() const noexcept { return first_cache_.back(); }
  std::size_t first_cache(std::size_t level) const noexcept { return first_cache_[level]; }
  std::size_t caches_of(std::size_t level) const noexcept {
    return first_cache_[level + 1] - first_cache_[level];
  }
  std::size_t cache_of(std::size_t level, std::size_t core) const noexcept {
    return cache_[core * levels() + level];
  }
  std::size_t level_of(std::size_t cache) const noexcept;
  std::size_t first_core(std::size_t cache) const noexcept { return first_core_[cache]; }

  /// The number of distances, and their names: "same core", "same L2", "same package", "1 hop".
  std::size_t distances() const noexcept { return modified_.size(); }
  std::string distance_name(std::size_t distance) const;
  std::size_t distance(std::size_t core, std::size_t other) const noexcept;
  /// The time of transferring a line over this distance.
  cycles transfer(std::size_t distance, bool modified) const noexcept {
    return modified ? modified_[distance] : clean_[distance];
  }
  cycles memory_latency(std::size_t core, std::size_t node) const noexcept;
  cycles upgrade() const noexcept { return upgrade_; }
  cycles atomic_extra() const noexcept { return atomic_extra_; }
  cycles latency(std::size_t level) const noexcept { return latency_[level]; }

 private:
  void check(const machine_model& machine) const;
  void add_transfer(std::optional<unsigned> modified, std::optional<unsigned> clean, cycles default_value);

  void add_hardware(const machine_model& machine);
  void add_level(const machine_model& machine, std::size_t level);

  std::size_t packages_, nodes_, line_bytes_ = 64;
  std::vector<std::size_t> core_;                      // by thread
  std::vector<std::size_t> package_, node_;            // by core
  std::vector<std::size_t> package_of_node_;           // by node: of its first core
  std::vector<std::size_t> cache_;                     // by core x level
  std::vector<std::size_t> first_cache_, first_core_;  // by level, then the number of caches; by cache
  std::vector<cycles> latency_, modified_, clean_, memory_by_hops_;
  std::vector<std::vector<unsigned>> hops_, node_hops_;
  cycles upgrade_, atomic_extra_;
};

}  // namespace skua::simulator
