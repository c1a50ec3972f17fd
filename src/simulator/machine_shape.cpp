#include "simulator/machine_shape.hpp"

#include <algorithm>

namespace skua::simulator {

machine_shape::machine_shape(const machine_model& machine)
    : cores_(machine.cores),
      threads_a_core_(machine.threads_a_core),
      packages_(machine.packages),
      nodes_(machine.nodes),
      memory_by_hops_(machine.memory.latency_by_hops.begin(), machine.memory.latency_by_hops.end()),
      hops_(machine.hops),
      upgrade_(machine.transfers.upgrade),
      atomic_extra_(machine.transfers.atomic_extra) {
  check(machine);
  line_bytes_ = machine.caches.front().line;
  first_cache_.push_back(0);
  for (const cache_model& cache : machine.caches) {
    cores_a_cache_.push_back(cache.cores);
    first_cache_.push_back(first_cache_.back() + cores_ / cache.cores);
    latency_.push_back(cache.latency);
  }
  const transfer_model& transfers = machine.transfers;
  add_transfer(transfers.same_core, {}, latency_.front());
  for (std::size_t l = 0; l < levels(); ++l) {
    // What a cache that takes what is asked for has is clean in it, unless the file says more.
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

void machine_shape::check(const machine_model& machine) const {
  const auto refuse = [&](const cache_model& cache, const std::string& is, const std::string& allowed) {
    throw bad_input(machine.name + ": the cache of level " + std::to_string(cache.level) + " " + is +
                    "; allowed: " + allowed);
  };
  std::size_t below = 1;
  for (const cache_model& cache : machine.caches) {
    if (cache.line != machine.caches.front().line)
      refuse(cache, "has lines of " + std::to_string(cache.line) + " bytes",
             std::to_string(machine.caches.front().line) + ", as in the first");
    if (cache.cores % below != 0)
      refuse(cache, "is shared by " + std::to_string(cache.cores) + " cores",
             "multiples of " + std::to_string(below) + ", as of the smaller cache");
    below = cache.cores;
  }
  const std::size_t together = cores_ / packages_;
  if (together % below != 0)
    refuse(machine.caches.back(), "is shared by " + std::to_string(below) + " cores",
           "divisors of " + std::to_string(together) + ", the cores of a package");
}

void machine_shape::add_transfer(std::optional<unsigned> modified, std::optional<unsigned> clean,
                                 cycles otherwise) {
  modified_.push_back(modified ? *modified : clean ? *clean : otherwise);
  clean_.push_back(clean ? *clean : modified_.back());
}

std::size_t machine_shape::level_of(std::size_t cache) const noexcept {
  std::size_t level = 0;
  while (first_cache_[level + 1] <= cache) ++level;
  return level;
}

std::size_t machine_shape::first_core(std::size_t cache) const noexcept {
  const std::size_t level = level_of(cache);
  return (cache - first_cache_[level]) * cores_a_cache_[level];
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
  if (nodes_ == 1) return memory_by_hops_.front();
  return memory_by_hops_[hops_[package_of_core(core)][package_of_node(node)]];
}

}  // namespace skua::simulator
