#include <skua/topology.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "topology/affinity.hpp"
#include "topology/cgroup.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/machine_facts.hpp"
#include "topology/measured_distances.hpp"
#include "topology/topology_data.hpp"

namespace skua {

topology topology::host() {
  std::string why;
  data facts;
  if (const detail::hwloc_tree tree = detail::load_host(why)) {
    facts = detail::machine_facts(tree);
  } else {
    facts = detail::flat_facts(detail::cpus_at_start());
    facts.warnings.push_back(why + ", so its " + std::to_string(facts.pus) +
                             " CPUs count as equally near to each other");
  }
  if (const std::string& doubt = detail::doubt_about_cpus(); !doubt.empty()) facts.warnings.push_back(doubt);
  facts.source = "host";
  facts.is_host = true;
  facts.cpu_quota = detail::cpu_quota();
  return topology_access::make(std::move(facts));
}

topology topology::synthetic(std::string_view description) {
  data facts = detail::machine_facts(detail::load_synthetic(std::string(description)));
  facts.source = description;
  return topology_access::make(std::move(facts));
}

topology topology::from_file(const std::string& path) {
  data facts = detail::machine_facts(detail::load_file(path));
  facts.source = path;
  return topology_access::make(std::move(facts));
}

topology topology::parse(const std::string& spec) {
  if (spec == "host") return host();
  std::error_code failed;
  const bool file =
      spec.ends_with(".xml") || spec.find('/') != std::string::npos || std::filesystem::exists(spec, failed);
  if (file) return from_file(spec);
  // A single word is no machine.
  const bool word = !spec.empty() && spec.find_first_of(": 0123456789") == std::string::npos;
  if (!word) return synthetic(spec);
  static constexpr std::string_view names[] = {"host"};
  const bool misspelt = !base::nearest_name(spec, names).empty();
  throw bad_input(
      "topology '" + spec.substr(0, 200) +
      "' must be 'host', an hwloc XML file or a synthetic machine such as 'package:2 core:4 pu:1'" +
      (misspelt ? "; did you mean 'host'?" : ""));
}

topology topology::from_environment() {
  const std::string spec(base::variable("SKUA_TOPOLOGY"));
  if (spec.empty()) return host();
  return base::of_variable("SKUA_TOPOLOGY", [&] { return parse(spec); });
}

topology topology::with_distances(const std::string& path) const {
  const detail::measured_distances measured = detail::distances_from_file(path);
  const std::string how = detail::difference(measured, *this);
  if (!how.empty())
    throw bad_input(path + " was measured on another machine: " + how +
                    "; allowed: a file that skua topo --measure --output wrote on this one");
  data facts = *facts_;
  facts.measured = detail::matrix_for(measured, *this);
  return topology_access::make(std::move(facts));
}

std::size_t topology::packages() const { return facts_->packages; }
std::size_t topology::numa_nodes() const { return facts_->numa_nodes; }
std::size_t topology::domains() const { return facts_->domain_caches.size(); }
std::size_t topology::cores() const { return facts_->cores; }
std::size_t topology::pus() const { return facts_->pus; }
std::size_t topology::kinds() const { return facts_->kinds; }
std::span<const core_info> topology::core_list() const { return facts_->core_list; }
std::size_t topology::domain_cache_bytes() const { return facts_->domain_cache_bytes; }
std::string_view topology::domain_kind() const { return facts_->domain_kind; }
std::string_view topology::processor() const { return facts_->processor; }
bool topology::is_host() const { return facts_->is_host; }
double topology::cpu_quota() const { return facts_->cpu_quota; }
std::string_view topology::source() const { return facts_->source; }
const sequence<std::string>& topology::warnings() const { return facts_->warnings; }

std::uint32_t topology::numa_distance(std::size_t from, std::size_t to) const {
  if (facts_->numa_distances.empty()) return from == to ? 10 : 20;
  return facts_->numa_distances[from * facts_->numa_nodes + to];
}

std::size_t topology::default_workers(bool smt) const {
  const std::size_t seats = smt ? facts_->pus : facts_->core_list.size();
  const double allowed = std::max(1.0, std::ceil(facts_->cpu_quota));
  return allowed < static_cast<double>(seats) ? static_cast<std::size_t>(allowed) : seats;
}

}  // namespace skua
