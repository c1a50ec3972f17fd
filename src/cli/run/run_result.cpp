#include "cli/run/run_result.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include <skua/simulation.hpp>
#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "cli/output.hpp"

namespace skua::cli {
namespace {

/// Every fork of the policy takes the slow path: its times cannot be compared with those of other policies.
bool out_of_line(const scheduler& pool) { return make_policy(pool.policy())->queue() != queue_kind::split; }

// ---- text

void print_cache(const simulated_cache& one) {
  const std::uint64_t wanted = one.hits + one.demand_misses;
  if (wanted + one.prefetches == 0) return;
  fmt::print("  L{} caches {} hits, {} misses ({:.1f}%), {} lines prefetched\n", one.level, one.hits,
             one.demand_misses,
             wanted == 0 ? 0.0 : 100.0 * static_cast<double>(one.demand_misses) / static_cast<double>(wanted),
             one.prefetches);
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

/// The times, caches and memory of a simulated machine.
void print_report(const simulation_report& report) {
  fmt::print("  time      {}\n", to_string(report.times));
  for (const simulated_cache& one : report.caches) print_cache(one);
  simulated_node sum;
  for (const simulated_node& one : report.nodes) {
    sum.bytes_read += one.bytes_read;
    sum.bytes_read_remotely += one.bytes_read_remotely;
    sum.bytes_written += one.bytes_written;
  }
  if (sum.bytes_read + sum.bytes_written != 0)
    fmt::print("  memory    {:.4g} MB read, {:.4g} of them from another package; {:.4g} MB written\n",
               megabytes(sum.bytes_read), megabytes(sum.bytes_read_remotely), megabytes(sum.bytes_written));
}

std::string machine_line(const scheduler& pool) {
  const topology& machine = pool.machine();
  const std::size_t real = topology::host().pus();
  const std::string parts =
      fmt::format("{} domain{} ({}), {} core{}", machine.domains(), machine.domains() == 1 ? "" : "s",
                  machine.domain_kind(), machine.cores(), machine.cores() == 1 ? "" : "s");
  if (pool.is_simulated()) return fmt::format("{}: {}; simulated", machine.source(), parts);
  if (machine.is_host())
    return fmt::format("this one: {}; measured on {}", parts, base::counted(real, "real CPU"));
  return fmt::format("{}: {}; not real, its {} share {}", machine.source(), parts,
                     base::counted(pool.workers(), "worker"), base::counted(real, "CPU"));
}

std::vector<std::string> steal_texts(const counters& c, const placement& seats) {
  std::vector<std::string> levels;
  for (std::size_t level = 0; level < c.steals_by_distance.size() && level < seats.levels(); ++level)
    levels.push_back(fmt::format("{} from the {}", c.steals_by_distance[level], seats.level_name(level)));
  return levels;
}

void print_trials(const std::vector<workers_trial>& trials) {
  std::vector<std::string> times;
  for (const workers_trial& trial : trials)
    times.push_back(fmt::format("{:.4g} s with {}", trial.seconds, trial.workers));
  fmt::print("            fewest workers within 3% of the fastest time: {}\n", fmt::join(times, ", "));
}

/// The times of the median run.
void print_times(const worker_times& times) {
  const double all = std::max(1.0, static_cast<double>(times.sum()));
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < activity_count; ++i)
    shares.push_back(
        fmt::format("{} {:.1f}%", activity_names[i], 100 * static_cast<double>(times.ns[i]) / all));
  fmt::print("  times     {}\n            of {:.4g} s, the time of all workers\n", fmt::join(shares, ", "),
             all * 1e-9);
}

void print_simulated(const run_result& result) {
  const simulation_report r = result.pool.simulated();
  fmt::print("  simulated {} cycles, {} events, stream {:016x}\n", r.cycles, r.events, r.stream);
  print_report(result.measured.simulated);
  if (r.not_recorded != 0)
    fmt::print("            {} of {} leaf times were not in the recording and counted as 0\n", r.not_recorded,
               r.measured);
  if (r.measured != 0 && result.options.replay.empty())
    fmt::print("            the times of leaves were measured, so the next run differs; {}\n",
               result.options.record.empty() ? "--record FILE keeps them for --replay FILE"
                                             : "--replay " + result.options.record + " repeats them");
}

// ---- JSON

/// Appends times, operations, caches, nodes and transfers to the object.
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

nlohmann::ordered_json times_json(const measurement& m) {
  const report& counted = m.counted;
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const worker_times& one : counted.times) workers.push_back(times_json(one));
  nlohmann::ordered_json all = {
      {"seconds", counted.seconds}, {"ns", times_json(counted.total_times)}, {"ns_of_workers", workers}};
  if (!m.waiting_for_cpu.empty()) all["waiting_for_cpu_of_runs"] = m.waiting_for_cpu;
  return all;
}

nlohmann::ordered_json choices_json(const std::vector<observe::choice_record>& choices) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const observe::choice_record& one : choices)
    all.push_back({{"kind", one.kind},
                   {"policy", one.policy},
                   {"stage", one.stage},
                   {"episodes", one.episodes},
                   {"seconds", one.total_ns * 1e-9}});
  return all;
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

void print_text(const run_result& result) {
  const auto& [options, pool, m, trials] = result;
  const counters& c = m.counted.total;
  const auto [min, max] = std::ranges::minmax(m.seconds);
  fmt::print("{} {}{}{}\n", options.name, options.size, options.settings.empty() ? "" : ", ",
             fmt::join(options.settings, ", "));
  fmt::print("  workers   {}, policy {}\n", pool.workers(), pool.policy());
  if (options.own_order != "lifo")
    fmt::print("            order of own group tasks: {}\n", options.own_order);
  if (out_of_line(pool))
    fmt::print(
        "            every fork takes the slow path: do not compare the times with those of other "
        "policies\n");
  if (!trials.empty()) print_trials(trials);
  fmt::print("  seconds   {:.4g}, the median of {} ({:.4g} to {:.4g})\n", m.median(), m.seconds.size(), min,
             max);
  fmt::print("  verified  {}: {}\n", m.verified ? "yes" : "NO", m.answer);
  using base::noun;  // without the blanks of counted(), so that scripts can read the numbers
  fmt::print("  steals    {} near, {} far, from {} {} ({} far)\n", c.steals - c.remote_steals,
             c.remote_steals, c.attempts, noun(c.attempts, "attempt"), c.remote_attempts);
  const std::vector<std::string> levels = steal_texts(c, pool.seats());
  if (!levels.empty()) fmt::print("            {}\n", fmt::join(levels, "; "));
  fmt::print("  tasks     {} {}, {} in groups, {} from own queues, {} {}\n", c.forks, noun(c.forks, "fork"),
             c.group_tasks, c.own_tasks, c.suspensions, noun(c.suspensions, "suspension"));
  fmt::print("  stacks    at most {} in use\n", c.stacks);
  fmt::print("  sleep     {}, {:.3g} ms in total\n", base::counted(c.sleeps, "time"),
             static_cast<double>(c.asleep_ns) * 1e-6);
  if (options.times) print_times(m.counted.total_times);
  if (pool.is_simulated()) print_simulated(result);
  fmt::print("  machine   {}\n", machine_line(pool));
}

void print_json(const run_result& result) {
  const auto& [options, pool, m, trials] = result;
  const counters& c = m.counted.total;
  nlohmann::ordered_json out = {{"name", options.name},
                                {"size", options.size},
                                {"workers", pool.workers()},
                                {"policy", pool.policy()},
                                {"continuation", options.continuation},
                                {"own", options.own_order},
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
  if (options.times) out["times"] = times_json(m);
  if (pool.is_simulated()) out["simulated"] = simulated_json(options, m.simulated);
  if (!m.choices.empty()) out["choices"] = choices_json(m.choices);
  if (!trials.empty()) out["workers_tried"] = trials_json(trials);
  if (options.seed) out["seed"] = *options.seed;
  if (options.policy_seed) out["policy_seed"] = *options.policy_seed;
  print_json_text(out);
}

}  // namespace skua::cli
