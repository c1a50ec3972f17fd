#include "simulator/machine/machine_costs.hpp"

#include "simulator/machine/check_machine.hpp"
#include "simulator/machine/machine_defaults.hpp"
#include "simulator/machine/memory_assumptions.hpp"
#include "simulator/machine/miss_window.hpp"

namespace skua::simulator {

using base::json_part;

memory_model memory_of(const json_part& part) {
  static constexpr std::string_view keys[] = {"latency_cycles_by_hop",
                                              "channels_per_node",
                                              "controllers",
                                              "peak_bytes_per_cycle",
                                              "sustained_bytes_per_cycle",
                                              "per_ccd_read_bytes_per_cycle",
                                              "per_ccd_write_bytes_per_cycle",
                                              "jitter",
                                              "misses_at_once",
                                              "core_bytes_per_cycle",
                                              "lines_ahead",
                                              "prefetch_crosses_pages",
                                              "overlap_percent"};
  part.allow_only(keys);
  memory_model found;
  found.misses_at_once = defaults::misses_at_once;
  if (const auto at_once = part.find("misses_at_once"))
    found.misses_at_once = at_once->whole(1, max_misses_at_once);
  if (const auto core = part.find("core_bytes_per_cycle")) found.core_bytes_a_cycle = core->number(0.01, 1e6);
  if (const auto ahead = part.find("lines_ahead")) found.lines_ahead = ahead->whole(1, max_lines_ahead);
  if (const auto crosses = part.find("prefetch_crosses_pages"))
    found.prefetch_crosses_pages = crosses->yes_or_no();
  if (const auto overlap = part.find("overlap_percent")) found.overlap_percent = overlap->whole(0, 100);
  for (const json_part& hop : part.member("latency_cycles_by_hop").list())
    found.latency_by_hops.push_back(hop.whole(1, max_cycles));
  found.bytes_a_cycle = part.member("sustained_bytes_per_cycle").number(0.01, 1e6);
  return found;
}

namespace {

void read(const json_part& from, std::span<const named_cost> costs, std::uint64_t max, runtime_costs& to) {
  for (const named_cost& cost : costs)
    if (const auto said = from.find(cost.name)) to.*cost.value = said->whole_number(0, max);
}

std::vector<std::string_view> names_of(std::span<const named_cost> costs,
                                       std::vector<std::string_view> others = {}) {
  for (const named_cost& cost : costs) others.push_back(cost.name);
  return others;
}

}  // namespace

runtime_costs costs_of(const json_part& all) {
  constexpr std::uint64_t max_ns = 1'000'000'000;
  runtime_costs costs;
  if (const auto runtime = all.find("runtime")) {
    runtime->allow_only(names_of(cycle_costs));
    read(*runtime, cycle_costs, max_cycles, costs);
  }
  if (const auto os = all.find("os")) {
    os->allow_only(names_of(kernel_costs, {"page_policy", "linux", "ram_gb", "ram_mb"}));
    read(*os, kernel_costs, max_ns, costs);
  }
  return costs;
}

}  // namespace skua::simulator
