#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <skua/simulation.hpp>
#include <skua/topology.hpp>

#include "cli/run/chosen_run.hpp"
#include "cli/print_json.hpp"
#include "cli/run/run_result.hpp"
#include "cli/run/simulated_json.hpp"

namespace skua::cli {
namespace {

nlohmann::ordered_json steals_by_distance(const counters& c, const placement& seats) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::object();
  for (std::size_t level = 0; level < c.steals_by_distance.size() && level < seats.levels(); ++level)
    levels[seats.level_name(level)] = c.steals_by_distance[level];
  return levels;
}

nlohmann::ordered_json trials_json(const std::vector<workers_trial>& trials) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const workers_trial& trial : trials)
    all.push_back({{"workers", trial.workers}, {"seconds", trial.seconds}});
  return all;
}

nlohmann::ordered_json times_json(const worker_times& times) {
  nlohmann::ordered_json all;
  for (std::size_t i = 0; i < activity_count; ++i) all[std::string(activity_names[i])] = times.ns[i];
  return all;
}

nlohmann::ordered_json times_json(const report& counted) {
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const worker_times& one : counted.times) workers.push_back(times_json(one));
  return {{"seconds", counted.seconds}, {"ns", times_json(counted.total_times)}, {"ns_of_workers", workers}};
}

std::vector<std::uint32_t> cpus_of_workers(const placement& seats) {
  std::vector<std::uint32_t> cpus;
  for (const seat& seat : seats.seats()) cpus.push_back(seat.cpu);
  return cpus;
}

nlohmann::ordered_json simulated_json(const run_options& options, const simulation_report& r) {
  const auto [machine, level] = simulated_machine(options);
  nlohmann::ordered_json all = {{"machine", machine},   {"level", level},
                                {"seconds", r.seconds}, {"cycles", r.cycles},
                                {"events", r.events},   {"stream", fmt::format("{:016x}", r.stream)}};
  if (r.measured != 0) all["measured"] = {{"times", r.measured}, {"not_recorded", r.not_recorded}};
  add_report(all, r);
  return all;
}

}  // namespace

void print_json(const run_result& result) {
  const auto& [options, pool, m, trials] = result;
  const counters& c = m.counted.total;
  nlohmann::ordered_json out = {{"name", options.name},
                                {"size", options.size},
                                {"workers", pool.workers()},
                                {"policy", pool.policy()},
                                {"continuation", options.continuation},
                                {"own", options.own},
                                {"out_of_line", out_of_line(pool)},
                                {"seconds", m.median()},
                                {"verified", m.verified},
                                {"counters",
                                 {{"forks", c.forks},
                                  {"attempts", c.attempts},
                                  {"steals", c.steals},
                                  {"steal_misses", c.steal_misses},
                                  {"remote_steals", c.remote_steals},
                                  {"remote_attempts", c.remote_attempts},
                                  {"suspensions", c.suspensions},
                                  {"group_tasks", c.group_tasks},
                                  {"own_tasks", c.own_tasks},
                                  {"stacks", c.stacks},
                                  {"sleeps", c.sleeps},
                                  {"asleep_ns", c.asleep_ns},
                                  {"steals_by_distance", steals_by_distance(c, pool.seats())}}},
                                {"answer", m.answer},
                                {"numbers", m.numbers},
                                {"seconds_of_runs", m.seconds},
                                {"settings", options.settings},
                                {"topology", std::string(pool.machine().source())},
                                {"real_machine", pool.machine().is_host()},
                                {"cpus", topology::host().pus()},
                                {"cpus_of_workers", cpus_of_workers(pool.seats())}};
  if (options.times) out["times"] = times_json(m.counted);
  if (pool.is_simulated()) out["simulated"] = simulated_json(options, m.simulated);
  if (!trials.empty()) out["workers_tried"] = trials_json(trials);
  if (options.seed) out["seed"] = *options.seed;
  print_json_text(out);
}

}  // namespace skua::cli
