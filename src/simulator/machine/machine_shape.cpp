#include "simulator/machine/machine_shape.hpp"

#include <algorithm>
#include <map>

namespace skua::simulator {

machine_shape::machine_shape(const machine_model& machine)
    : packages_(machine.packages),
      nodes_(machine.nodes),
      memory_by_hops_(machine.memory.latency_by_hops.begin(), machine.memory.latency_by_hops.end()),
      hops_(machine.hops),
      node_hops_(machine.node_hops),
      upgrade_(machine.transfers.upgrade),
      atomic_extra_(machine.transfers.atomic_extra) {
  check(machine);
  line_bytes_ = machine.caches.front().line;
  for (const cache_model& cache : machine.caches) latency_.push_back(cache.latency);
  add_hardware(machine);
  const transfer_model& transfers = machine.transfers;
  add_transfer(transfers.same_core, {}, latency_.front());
  for (std::size_t l = 0; l < levels(); ++l) {
    // A line that a shared cache received on request costs that cache's latency, unless the file gives another value.
    auto clean = transfers.by_cache[l].clean;
    if (!clean && takes_what_is_asked_for(machine.caches[l].content)) clean = machine.caches[l].latency;
    add_transfer(transfers.by_cache[l].modified, clean, latency_[l]);
  }
  const cycles outside = transfers.by_hops.empty() ? memory_by_hops_.front() : transfers.by_hops.front();
  add_transfer(transfers.same_package, {}, outside);
  unsigned farthest = 0;
  for (const auto& row : hops_) farthest = std::max(farthest, *std::ranges::max_element(row));
  for (unsigned hop = 1; hop <= farthest; ++hop) add_transfer(transfers.by_hops.at(hop - 1), {}, outside);
}

/// No cache may span packages. check_machine() has checked the rest.
void machine_shape::check(const machine_model& machine) const {
  for (std::size_t level = 0; level < machine.caches.size(); ++level)
    for (const cache_instance& one : machine.instances[level])
      for (const std::uint32_t thread : one.threads)
        if (machine.hardware[thread].package != machine.hardware[one.threads.front()].package)
          throw bad_input(machine.name + ": several packages share an L" + std::to_string(level + 1) +
                          "; allowed: caches within one package");
}

void machine_shape::add_hardware(const machine_model& machine) {
  package_of_node_.resize(nodes_, packages_);
  for (const hardware_thread& thread : machine.hardware) {
    core_.push_back(thread.core);
    if (std::size_t& package = package_of_node_[thread.node]; package == packages_) package = thread.package;
    if (thread.core < package_.size()) continue;
    package_.push_back(thread.package);
    node_.push_back(thread.node);
  }
  cache_.resize(cores() * levels());
  first_cache_.push_back(0);
  for (std::size_t level = 0; level < levels(); ++level) add_level(machine, level);
}

/// Cores without this cache get an empty one, shared by the cores that share the next smaller cache.
void machine_shape::add_level(const machine_model& machine, std::size_t level) {
  const std::size_t first = first_cache_.back();
  for (const cache_instance& one : machine.instances[level])
    first_core_.push_back(machine.hardware[one.threads.front()].core);
  std::map<std::size_t, std::size_t> empty;  // by the smaller cache
  for (const hardware_thread& thread : machine.hardware) {
    std::size_t cache = first + thread.caches[level];
    if (thread.caches[level] == no_cache) {
      const auto [at, is_new] = empty.try_emplace(cache_of(level - 1, thread.core), first_core_.size());
      if (is_new) first_core_.push_back(thread.core);
      cache = at->second;
    }
    cache_[thread.core * levels() + level] = cache;
  }
  first_cache_.push_back(first_core_.size());
}

void machine_shape::add_transfer(std::optional<unsigned> modified, std::optional<unsigned> clean,
                                 cycles default_value) {
  modified_.push_back(modified ? *modified : clean ? *clean : default_value);
  clean_.push_back(clean ? *clean : modified_.back());
}

std::size_t machine_shape::level_of(std::size_t cache) const noexcept {
  std::size_t level = 0;
  while (first_cache_[level + 1] <= cache) ++level;
  return level;
}

std::size_t machine_shape::distance(std::size_t core, std::size_t other) const noexcept {
  if (core == other) return 0;
  for (std::size_t l = 0; l < levels(); ++l)
    if (cache_of(l, core) == cache_of(l, other)) return 1 + l;
  return 1 + levels() + hops_[package_of_core(core)][package_of_core(other)];
}

std::string machine_shape::distance_name(std::size_t distance) const {
  if (distance == 0) return "same core";
  if (distance <= levels()) return "same L" + std::to_string(distance);
  const std::size_t hops = distance - levels() - 1;
  if (hops == 0) return "same package";
  return std::to_string(hops) + (hops == 1 ? " hop" : " hops");
}

cycles machine_shape::memory_latency(std::size_t core, std::size_t node) const noexcept {
  return memory_by_hops_[node_hops_[node_of_core(core)][node]];
}

}  // namespace skua::simulator
