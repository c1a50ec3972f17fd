#include "simulator/machine/machine_layout.hpp"

#include <algorithm>

#include "simulator/machine/check_machine.hpp"
#include "simulator/machine/hardware_of.hpp"
#include "topology/topology_data.hpp"

namespace skua::simulator {

using base::json_part;

namespace {

/// The description must be of the machine that the counts describe.
void check_counts(const json_part& all, const machine_model& found) {
  const auto check = [&](std::size_t is, const char* what, std::size_t says, const char* keys) {
    if (is != says)
      all.member("synthetic")
          .refuse("a machine of " + std::to_string(is) + " " + what, std::to_string(says) + ", as " + keys);
  };
  const topology& machine = found.machine;
  check(machine.pus(), "threads", found.cores * found.threads_a_core, "sockets, cores and smt say");
  check(machine.cores(), "cores", found.cores, "sockets and cores_per_socket say");
  check(std::max<std::size_t>(1, machine.packages()), "packages", found.packages, "sockets says");
  check(machine.numa_nodes(), "memory nodes", found.nodes, "numa_nodes says");
}

/// Where the description names caches of a level, they must be shared as the file says: they make the domains.
void check_sharing(const json_part& all, const machine_model& found) {
  for (const detail::cache_facts& cache : topology_access::facts(found.machine).caches) {
    if (cache.level > found.caches.size()) continue;
    const std::size_t thread = found.thread_on(cache.cpus.front());
    const auto& instance = found.instances[cache.level - 1][found.instance_of(cache.level - 1, thread)];
    if (instance.threads.size() != cache.cpus.size())
      all.member("caches")
          .list()[cache.level - 1]
          .member("shared_by_cores")
          .refuse(std::to_string(found.caches[cache.level - 1].cores),
                  std::to_string(cache.cpus.size() / found.threads_a_core) + ", as in synthetic");
  }
}

/// Pages lie as far as the packages do; memory of one's own package is near.
std::vector<std::vector<unsigned>> node_hops_of(const machine_model& machine) {
  std::vector<std::vector<unsigned>> hops(machine.nodes, std::vector<unsigned>(machine.nodes, max_hops));
  for (const hardware_thread& from : machine.hardware)
    for (const hardware_thread& to : machine.hardware) {
      unsigned& found = hops[from.node][to.node];
      found = from.node == to.node ? 0 : std::min(found, machine.hops[from.package][to.package]);
    }
  return hops;
}

}  // namespace

void lay_out(const json_part& all, machine_model& model) {
  check_counts(all, model);
  model.hardware = hardware_of(model.machine);
  share_by_cores(model);
  check_sharing(all, model);
  model.node_hops = node_hops_of(model);
}

void add_distances(const json_part& all, machine_model& model) {
  topology::data facts = topology_access::facts(model.machine);
  facts.source = model.name;
  facts.numa_distances.clear();
  const auto& latencies = model.memory.latency_by_hops;
  auto distances = model.node_hops;
  for (auto& row : distances)
    for (unsigned& cell : row)
      cell = (latencies.at(cell) * 20 + latencies[0]) / (latencies[0] * 2);  // rounded
  if (const auto slit = all.find("slit")) distances = slit->square(model.nodes, "memory node", 10, 11, 254);
  for (const auto& row : distances)
    facts.numa_distances.insert(facts.numa_distances.end(), row.begin(), row.end());
  model.machine = topology_access::make(std::move(facts));
}

}  // namespace skua::simulator
