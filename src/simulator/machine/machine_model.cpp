#include "simulator/machine/machine_model.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <utility>

namespace skua::simulator {

std::size_t machine_model::shared_level(std::size_t a, std::size_t b) const {
  for (std::size_t level = 0; level < caches.size(); ++level)
    if (instance_of(level, a) == instance_of(level, b) && instance_of(level, a) != no_cache) return level;
  return caches.size();
}

std::size_t machine_model::thread_on(std::uint32_t cpu) const {
  return static_cast<std::size_t>(std::ranges::find(hardware, cpu, &hardware_thread::cpu) - hardware.begin());
}

std::vector<hardware_thread> hardware_of(const topology& machine) {
  std::vector<std::uint32_t> nodes;
  for (const core_info& core : machine.core_list()) nodes.push_back(core.numa_node);
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  std::vector<hardware_thread> threads;
  for (const core_info& core : machine.core_list()) {
    const auto node = std::ranges::lower_bound(nodes, core.numa_node) - nodes.begin();
    for (const std::uint32_t cpu : core.pus)
      threads.push_back({.cpu = cpu,
                         .core = core.index,
                         .package = core.package,
                         .node = static_cast<std::uint32_t>(node),
                         .caches = {}});
  }
  return threads;
}

void set_instances(machine_model& model, cache_instances instances) {
  for (hardware_thread& thread : model.hardware) thread.caches.assign(instances.size(), no_cache);
  for (std::size_t level = 0; level < instances.size(); ++level) {
    std::ranges::sort(instances[level], {}, [](const cache_instance& one) { return one.threads.front(); });
    for (std::uint32_t i = 0; i < instances[level].size(); ++i)
      for (const std::uint32_t thread : instances[level][i].threads) model.hardware[thread].caches[level] = i;
  }
  model.instances = std::move(instances);
}

void share_by_cores(machine_model& model) {
  cache_instances instances;
  for (const cache_model& cache : model.caches) {
    instances.emplace_back(model.cores / cache.cores,
                           cache_instance{cache.bytes, cache.line, cache.ways, {}});
    for (std::uint32_t thread = 0; thread < model.threads(); ++thread)
      instances.back()[model.hardware[thread].core / cache.cores].threads.push_back(thread);
  }
  set_instances(model, std::move(instances));
}

namespace {

class machine_check {
 public:
  machine_check(std::string_view source, const machine_model& machine) : source_(source), machine_(machine) {}

  void caches() const {
    for (std::size_t i = 0; i < machine_.caches.size(); ++i) {
      const cache_model& cache = machine_.caches[i];
      if (cache.level != i + 1)
        refuse(key(i, "level"), cache.level, std::to_string(i + 1) + " at this position");
      for (const cache_instance& one : machine_.instances[i]) geometry(i, one);
      if (i == 0) continue;
      nesting(i);
      not_faster(key(i, "latency_cycles"), cache.latency, machine_.caches[i - 1].latency,
                 "the smaller cache");
    }
  }

  /// Transfers must cover the longest route; so must latencies if the machine has several memory nodes.
  void reach() const {
    check_reach("line_transfer_cycles", machine_.transfers.by_hops.size(), farthest(machine_.hops),
                "interconnect.hops");
    if (machine_.nodes > 1)
      check_reach("memory.latency_cycles_by_hop", machine_.memory.latency_by_hops.size() - 1,
                  farthest(machine_.node_hops), "interconnect.hops");
    if (!machine_.transfers.same_package && !packages_share_a_cache(machine_))
      throw bad_input(source_ +
                      ": line_transfer_cycles.cross_ccd is missing, but some cores of one package "
                      "share no cache");
  }

  /// Nothing nearer may be slower, for clean lines and for modified lines. Lines of another thread of the core are
  /// modified ones.
  void order() const {
    const transfer_model& transfers = machine_.transfers;
    for (const auto& [kind, suffix] : {std::pair(&transfer_model::in_cache::clean, "_clean"),
                                       std::pair(&transfer_model::in_cache::modified, "_modified")}) {
      unsigned min = 0;
      std::string previous;
      const auto next = [&](const std::string& name, std::optional<unsigned> cycles) {
        if (!cycles) return;
        not_faster("line_transfer_cycles." + name, *cycles, min, previous);
        min = *cycles, previous = name;
      };
      if (kind == &transfer_model::in_cache::modified) next("smt_sibling", transfers.same_core);
      for (std::size_t i = 0; i < transfers.by_cache.size(); ++i)
        next("same_l" + std::to_string(i + 1) + suffix, transfers.by_cache[i].*kind);
      next("cross_ccd", transfers.same_package);
      for (std::size_t i = 0; i < transfers.by_hops.size(); ++i)
        next(i < std::size(hop_names) ? std::string(hop_names[i]) : std::to_string(i + 1) + " hops",
             transfers.by_hops[i]);
    }
    for (std::size_t i = 0; i < transfers.by_cache.size(); ++i)
      if (const auto& [modified, clean] = transfers.by_cache[i]; modified && clean)
        not_faster("line_transfer_cycles.same_l" + std::to_string(i + 1) + "_modified", *modified, *clean,
                   "a clean line");
    const auto& latencies = machine_.memory.latency_by_hops;
    const std::string memory = "memory.latency_cycles_by_hop";
    not_faster(memory + "[0]", latencies[0], machine_.caches.back().latency, "the last cache");
    for (std::size_t i = 1; i < latencies.size(); ++i)
      not_faster(memory + "[" + std::to_string(i) + "]", latencies[i], latencies[i - 1], "the nearer node");
  }

 private:
  static std::string key(std::size_t level, const char* name) {
    return "caches[" + std::to_string(level) + "]." + name;
  }

  [[noreturn]] void refuse(const std::string& name, std::uint64_t is, const std::string& allowed) const {
    throw bad_input(source_ + ": " + name + " is " + std::to_string(is) + "; allowed: " + allowed);
  }

  void not_faster(const std::string& name, unsigned is, unsigned nearer, const std::string& than) const {
    if (is < nearer) refuse(name, is, "at least " + std::to_string(nearer) + ", the value of " + than);
  }

  /// Caches exchange whole lines, so all have the same line size.
  void geometry(std::size_t level, const cache_instance& one) const {
    if (!std::has_single_bit(one.line)) refuse(key(level, "line"), one.line, "powers of two");
    if (const unsigned first = machine_.caches[0].line; one.line != first)
      refuse(key(level, "line"), one.line, std::to_string(first) + ", the value of the smallest cache");
    if (one.sets() == 0 || one.bytes % (std::uint64_t{one.line} * one.ways) != 0)
      refuse(key(level, "size_kb"), one.bytes / 1024, "multiples of line times ways");
  }

  /// Threads that share a cache share all larger ones.
  void nesting(std::size_t level) const {
    for (const cache_instance& smaller : machine_.instances[level - 1])
      for (const std::uint32_t thread : smaller.threads)
        if (machine_.instance_of(level, thread) != machine_.instance_of(level, smaller.threads.front()))
          refuse(key(level, "shared_by_cores"), machine_.caches[level].cores,
                 "a multiple of " + std::to_string(machine_.caches[level - 1].cores) +
                     ", the value of the smaller cache");
  }

  void check_reach(const std::string& name, std::size_t hops, unsigned farthest, const char* table) const {
    if (hops < farthest)
      throw bad_input(source_ + ": " + name + " covers " + std::to_string(hops) +
                      " hops; allowed: at least " + std::to_string(farthest) + ", the maximum in " + table);
  }

  static unsigned farthest(const std::vector<std::vector<unsigned>>& hops) {
    unsigned max = 0;
    for (const auto& row : hops) max = std::max(max, *std::ranges::max_element(row));
    return max;
  }

  std::string source_;
  const machine_model& machine_;
};

}  // namespace

void check_threads(std::string_view source, std::size_t threads) {
  if (threads >= 1 && threads <= max_threads) return;
  throw bad_input(std::string(source) + ": the machine has " + std::to_string(threads) +
                  " hardware threads; allowed: 1 to " + std::to_string(max_threads) +
                  "; nearest: " + std::to_string(std::clamp<std::size_t>(threads, 1, max_threads)));
}

bool packages_share_a_cache(const machine_model& machine) {
  const std::size_t last = machine.caches.size() - 1;
  std::vector<const hardware_thread*> first(machine.packages, nullptr);
  for (const hardware_thread& thread : machine.hardware) {
    const hardware_thread*& one = first[thread.package];
    if (!one) one = &thread;
    if (thread.core == one->core) continue;
    if (thread.caches[last] == no_cache || thread.caches[last] != one->caches[last]) return false;
  }
  return true;
}

void check_machine(std::string_view source, const machine_model& machine) {
  check_threads(source, machine.threads());
  const machine_check check(source, machine);
  check.caches();
  check.reach();
  check.order();
}

}  // namespace skua::simulator
