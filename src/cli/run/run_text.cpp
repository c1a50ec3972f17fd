#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include <skua/simulation.hpp>
#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "cli/run/run_result.hpp"
#include "cli/run/simulated_text.hpp"
#include "report/words.hpp"

namespace skua::cli {
namespace {

std::string machine_line(const scheduler& pool) {
  const topology& machine = pool.machine();
  const std::size_t real = topology::host().pus();
  const std::string parts =
      fmt::format("{} domain{} ({}), {} core{}", machine.domains(), machine.domains() == 1 ? "" : "s",
                  machine.domain_kind(), machine.cores(), machine.cores() == 1 ? "" : "s");
  if (pool.is_simulated()) return fmt::format("{}: {}; simulated", machine.source(), parts);
  if (machine.is_host())
    return fmt::format("this one: {}; measured on {}", parts, reports::counted(real, "real CPU"));
  return fmt::format("{}: {}; not real, its {} share {}", machine.source(), parts,
                     reports::counted(pool.workers(), "worker"), reports::counted(real, "CPU"));
}

std::vector<std::string> steals_by_distance(const counters& c, const placement& seats) {
  std::vector<std::string> levels;
  for (std::size_t level = 0; level < c.steals_by_distance.size() && level < seats.levels(); ++level)
    levels.push_back(fmt::format("{} from the {}", c.steals_by_distance[level], seats.level_name(level)));
  return levels;
}

void print_trials(const std::vector<workers_trial>& trials) {
  std::vector<std::string> times;
  for (const workers_trial& trial : trials)
    times.push_back(fmt::format("{:.4g} s with {}", trial.seconds, trial.workers));
  fmt::print("            the fewest within 3% of the fastest: {}\n", fmt::join(times, ", "));
}

/// Of the run with the median time.
void print_times(const worker_times& times) {
  const double all = std::max(1.0, static_cast<double>(times.sum()));
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < activity_count; ++i)
    shares.push_back(fmt::format("{} {:.1f}%", activity_names[i], 100 * static_cast<double>(times.ns[i]) / all));
  fmt::print("  times     {}\n            of {:.4g} s of all workers together\n", fmt::join(shares, ", "),
             all * 1e-9);
}

void print_simulated(const run_result& result) {
  const simulation_report r = result.pool.simulated();
  fmt::print("  simulated {} cycles, {} events, stream {:016x}\n", r.cycles, r.events, r.stream);
  print_report(result.measured.simulated);
  if (r.not_recorded != 0)
    fmt::print("            {} times of leaves, of {}, were not in the recording and took nothing\n",
               r.not_recorded, r.measured);
}

}  // namespace

bool out_of_line(const scheduler& pool) { return make_policy(pool.policy())->queue() != queue_kind::split; }

void print_text(const run_result& result) {
  const auto& [options, pool, m, trials] = result;
  const counters& c = m.counted.total;
  const auto [min, max] = std::ranges::minmax(m.seconds);
  fmt::print("{} {}{}{}\n", options.name, options.size, options.settings.empty() ? "" : ", ",
             fmt::join(options.settings, ", "));
  fmt::print("  workers   {}, policy {}\n", pool.workers(), pool.policy());
  if (options.own != "lifo") fmt::print("            own group tasks {}\n", options.own);
  if (out_of_line(pool))
    fmt::print(
        "            every fork leaves the fast path: not to be compared with other policies' times\n");
  if (!trials.empty()) print_trials(trials);
  fmt::print("  seconds   {:.4g}, the median of {} ({:.4g} to {:.4g})\n", m.median(), m.seconds.size(), min,
             max);
  fmt::print("  verified  {}: {}\n", m.verified ? "yes" : "NO", m.answer);
  fmt::print("  steals    {} near, {} far, of {} attempts ({} far)\n", c.steals - c.remote_steals,
             c.remote_steals, c.attempts, c.remote_attempts);
  const std::vector<std::string> levels = steals_by_distance(c, pool.seats());
  if (!levels.empty()) fmt::print("            {}\n", fmt::join(levels, "; "));
  fmt::print("  tasks     {} forks, {} in groups, {} from own queues, {} suspensions\n", c.forks,
             c.group_tasks, c.own_tasks, c.suspensions);
  fmt::print("  stacks    {} in use at most\n", c.stacks);
  fmt::print("  sleep     {}, {:.3g} ms in all\n", reports::counted(c.sleeps, "time"),
             static_cast<double>(c.asleep_ns) * 1e-6);
  if (options.times) print_times(m.counted.total_times);
  if (pool.is_simulated()) print_simulated(result);
  fmt::print("  machine   {}\n", machine_line(pool));
}

}  // namespace skua::cli
