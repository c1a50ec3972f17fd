#include "cli/run/simulated_json.hpp"

#include <nlohmann/json.hpp>

namespace skua::cli {

void add_report(nlohmann::ordered_json& to, const simulation_report& report) {
  using json = nlohmann::ordered_json;
  for (const named_time& one : simulated_time_names)
    to["times"][std::string(one.name)] = report.times.*one.cycles;
  for (const named_operation& one : simulated_operation_names) {
    const simulated_operation& counted = report.operations.*one.operation;
    to["operations"][std::string(one.name)] = {{"times", counted.times}, {"cycles", counted.cycles}};
  }
  to["tasks"] = {{"run", report.tasks.run}, {"stolen", report.tasks.stolen}};
  to["above_boundary_cycles"] = report.above_boundary_cycles;
  json caches = json::array(), nodes = json::array(), transfers = json::array();
  for (const simulated_cache& one : report.caches)
    caches.push_back({{"level", one.level},
                      {"hits", one.hits},
                      {"demand_misses", one.demand_misses},
                      {"prefetches", one.prefetches},
                      {"evictions", one.evictions},
                      {"write_backs", one.write_backs}});
  for (const simulated_node& one : report.nodes)
    nodes.push_back({{"bytes_read", one.bytes_read},
                     {"bytes_read_remotely", one.bytes_read_remotely},
                     {"bytes_written", one.bytes_written},
                     {"waiting_cycles", one.waiting_cycles}});
  for (const simulated_transfers& one : report.transfers)
    transfers.push_back({{"distance", one.distance}, {"words", one.words}, {"data", one.data}});
  to["caches"] = std::move(caches);
  to["nodes"] = std::move(nodes);
  to["transfers"] = std::move(transfers);
}

}  // namespace skua::cli
