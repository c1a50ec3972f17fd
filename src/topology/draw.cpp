// The machine as a tree of text, one line per part. Up to 16 cores have a line each; more cores share the line of their
// domain.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/number_text.hpp"
#include "topology/topology_data.hpp"

namespace skua {

namespace {

constexpr std::size_t max_core_lines = 16;

struct line {
  std::string text;
  std::vector<line> parts;
};

std::string counted(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string named(const std::string& thing, const std::vector<std::uint32_t>& numbers) {
  return thing + (numbers.size() == 1 ? " " : "s ") + base::number_list(numbers);
}

class tree_drawing {
 public:
  tree_drawing(const topology& machine, const placement* seats)
      : facts_(topology_access::facts(machine)), seats_(seats) {
    for (worker_id worker = 0; seats && worker < seats->workers(); ++worker) {
      workers_of_core_[(*seats)[worker].core].push_back(worker);
    }
  }

  line tree() const {
    line root{headline(), {}};
    const bool named_packages = facts_.packages > 0;
    for (std::uint32_t package = 0; package < std::max<std::size_t>(1, facts_.packages); ++package) {
      std::vector<line> domains = domains_of(package);
      if (!named_packages) {
        root.parts = std::move(domains);
      } else if (domains.empty()) {
        root.parts.push_back({"package " + std::to_string(package) + ": no CPU available", {}});
      } else {
        root.parts.push_back({"package " + std::to_string(package), std::move(domains)});
      }
    }
    if (!named_packages || !each_package_is_one_line(root)) return with_other_memory(std::move(root));
    for (line& package : root.parts) {
      if (package.parts.empty()) continue;
      package.text += ", " + package.parts.front().text;
      package.parts.clear();
    }
    return with_other_memory(std::move(root));
  }

 private:
  std::string headline() const {
    std::string text = "machine";
    if (!facts_.is_host) text += " (" + facts_.source + ")";
    text += ": ";
    if (facts_.packages > 0) text += counted(facts_.packages, "package") + ", ";
    text += counted(facts_.numa_nodes, "NUMA node") + ", ";
    text += counted(facts_.domain_caches.size(), "domain") + " (" + facts_.domain_kind + "), ";
    if (facts_.cores > 0) text += counted(facts_.cores, "core") + ", ";
    text += counted(facts_.pus, "CPU");
    if (facts_.kinds > 1) text += ", " + counted(facts_.kinds, "kind") + " of cores";
    if (std::isfinite(facts_.cpu_quota)) {
      char quota[64];
      std::snprintf(quota, sizeof quota, ", a quota of %.4g CPUs", facts_.cpu_quota);
      text += quota;
    }
    if (seats_) text += ", " + counted(seats_->workers(), "worker");
    return text;
  }

  bool each_package_is_one_line(const line& root) const {
    return std::ranges::all_of(root.parts, [](const line& package) {
      return package.parts.size() <= 1 && (package.parts.empty() || package.parts.front().parts.empty());
    });
  }

  std::vector<line> domains_of(std::uint32_t package) const {
    std::map<domain_id, std::vector<const core_info*>> cores_of_domain;
    for (const core_info& core : facts_.core_list) {
      if (core.package == package) cores_of_domain[core.domain].push_back(&core);
    }
    std::vector<line> domains;
    for (const auto& [domain, cores] : cores_of_domain) domains.push_back(domain_line(domain, cores));
    return domains;
  }

  line domain_line(domain_id domain, const std::vector<const core_info*>& cores) const {
    std::vector<std::uint32_t> nodes;
    for (const core_info* core : cores) {
      if (std::ranges::find(nodes, core->numa_node) == nodes.end()) nodes.push_back(core->numa_node);
    }
    std::ranges::sort(nodes);
    std::string made_of = facts_.domain_caches[domain];
    if (facts_.numa_nodes > 0) made_of += (made_of.empty() ? "" : ", ") + named("NUMA node", nodes);
    line drawn{"domain " + std::to_string(domain) + (made_of.empty() ? "" : " (" + made_of + ")"), {}};
    if (facts_.core_list.size() > max_core_lines) {
      drawn.text += ": " + cores_text(cores);
    } else {
      for (const core_info* core : cores) drawn.parts.push_back({cores_text({core}), {}});
    }
    return drawn;
  }

  // "core 0, CPUs 0,16: worker 0 on CPU 0, head 0", and likewise for many cores at once.
  std::string cores_text(const std::vector<const core_info*>& cores) const {
    std::vector<std::uint32_t> indices, cpus, kinds, workers, worker_cpus;
    std::string head;
    for (const core_info* core : cores) {
      indices.push_back(core->index);
      cpus.insert(cpus.end(), core->pus.begin(), core->pus.end());
      if (kinds.empty() || kinds.back() != core->kind) kinds.push_back(core->kind);
      const auto at = workers_of_core_.find(core->index);
      if (at == workers_of_core_.end()) continue;
      for (worker_id worker : at->second) {
        workers.push_back(worker);
        worker_cpus.push_back((*seats_)[worker].cpu);
        if ((*seats_)[worker].head) head = ", head " + std::to_string(worker);
      }
    }
    if (cores.size() > 1) std::ranges::sort(cpus);
    std::string text = named("core", indices) + ", " + named("CPU", cpus);
    if (facts_.kinds > 1) text += ", " + named("kind", kinds);
    if (!workers.empty()) text += ": " + named("worker", workers) + " on " + named("CPU", worker_cpus) + head;
    return text;
  }

  // Memory without cores of its own: fast memory in addition to normal one, or nodes whose CPUs are not ours.
  line with_other_memory(line root) const {
    std::vector<std::uint32_t> others;
    for (std::uint32_t node = 0; node < facts_.numa_nodes; ++node) {
      if (std::ranges::find(facts_.core_list, node, &core_info::numa_node) == facts_.core_list.end()) {
        others.push_back(node);
      }
    }
    if (!others.empty()) root.parts.push_back({named("NUMA node", others) + ": additional memory", {}});
    return root;
  }

  const topology::data& facts_;
  const placement* seats_;
  std::map<std::uint32_t, std::vector<worker_id>> workers_of_core_;
};

void print(const line& drawn, const std::string& before, std::string& text) {
  text += drawn.text + "\n";
  for (const line& part : drawn.parts) {
    const bool last = &part == &drawn.parts.back();
    text += before + (last ? "└ " : "├ ");
    print(part, before + (last ? "  " : "│ "), text);
  }
}

std::string text_of(const topology& machine, const placement* seats) {
  std::string text;
  print(tree_drawing(machine, seats).tree(), "", text);
  return text;
}

}  // namespace

std::string topology::draw() const { return text_of(*this, nullptr); }
std::string topology::draw(const placement& seats) const { return text_of(*this, &seats); }

}  // namespace skua
