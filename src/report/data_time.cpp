#include "report/data_time.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "report/thresholds.hpp"

namespace skua::reports {

namespace {

using observe::run_record;

double share(double of, double by) { return by > 0 ? of / by : 0; }

/// Lines that came from outside of the own caches.
struct traffic {
  double near_memory = 0, far_memory = 0, near_caches = 0, far_caches = 0;

  double far() const { return far_memory + far_caches; }
  double all() const { return near_memory + near_caches + far(); }
  /// In units of the time of a near line.
  double time() const { return near_memory + near_caches + thresholds::remote_slowness * far(); }
};

/// The names of distances, the nearest first, are "same L2", "same L3", "same package", "1 hop", "2 hops". Everything
/// beyond the domain is far.
traffic traffic_of(const run_record& run) {
  constexpr double line_bytes = 64;
  traffic t;
  for (const simulated_node& node : run.simulated->nodes) {
    const auto remote = static_cast<double>(node.bytes_read_remotely),
               all = static_cast<double>(node.bytes_read);
    t.far_memory += remote / line_bytes;
    t.near_memory += (all - std::min(all, remote)) / line_bytes;
  }
  const std::string domain = "same " + run.machine.domain_kind;
  const auto& transfers = run.simulated->transfers;
  const bool domains_are_named =
      std::ranges::find(transfers, domain, &simulated_transfers::distance) != transfers.end();
  bool far = false;
  for (const simulated_transfers& one : transfers) {
    if (!domains_are_named && one.distance.ends_with("hop")) far = true;
    (far ? t.far_caches : t.near_caches) += static_cast<double>(one.data);
    if (one.distance == domain || one.distance.ends_with("hop")) far = true;
  }
  return t;
}

void read_memories(const observe::simulated_record& simulated, data_time& found) {
  double all = 0, busiest = 0, fullest = 0;
  for (const simulated_node& node : simulated.nodes) {
    all += static_cast<double>(node.bytes_read);
    busiest = std::max(busiest, static_cast<double>(node.bytes_read));
    fullest = std::max(fullest, static_cast<double>(node.bytes_read + node.bytes_written));
  }
  if (simulated.nodes.size() > 1) found.one_memory = share(busiest, all);
  found.fullest = share(fullest, static_cast<double>(simulated.cycles) * simulated.memory_bytes_a_cycle);
}

/// Shares of the workers' own time: computing, and waiting for data.
data_time of_simulated(const run_record& run) {
  const simulated_times& times = run.simulated->times;
  const double data = share(static_cast<double>(times.data),
                            static_cast<double>(times.data + times.computing + times.forking));
  const traffic t = traffic_of(run);
  data_time found;
  found.remote_reads = share(t.far(), t.all());
  found.interleaved = run.simulated->pages_dealt_out && t.far_memory >= t.far_caches;
  read_memories(*run.simulated, found);
  // Near data would wait as long for a saturated memory.
  const bool full = found.fullest >= thresholds::full_memory;
  const double far_lines = full ? t.far_caches : t.far();
  const double excess = thresholds::remote_slowness - 1;
  if (full)
    found.saturated = data * share(t.near_memory + thresholds::remote_slowness * t.far_memory, t.time());
  found.remote = data * share(excess * far_lines, t.time());
  return found;
}

/// In user time; none if the hardware does not count the event.
std::optional<std::uint64_t> count_of(const run_record& run, std::string_view event) {
  for (const observe::hardware_record& one : run.hardware) {
    if (one.event != event) continue;
    std::uint64_t all = 0;
    for (const observe::hardware_counts& worker : one.workers)
      all += worker.of[static_cast<std::size_t>(activity::user)];
    return all;
  }
  return std::nullopt;
}

/// For hardware that does not count remote reads: the share of the work that was stolen from another domain.
double stolen_from_other_domains(const run_record& run) {
  const counters counts = run.total_counts();
  const double remote = share(static_cast<double>(counts.remote_steals), static_cast<double>(counts.steals));
  const auto user = static_cast<double>(run.total_times().of(activity::user));
  return remote * std::min(1.0, share(static_cast<double>(run.task_size.sum), user));
}

data_time of_real(const run_record& run) {
  data_time found;
  if (run.machine.domains < 2) return found;
  const auto misses = count_of(run, "last-level misses"), remote = count_of(run, "remote node accesses");
  found.remote_reads = misses && remote && *misses != 0
                           ? std::min(1.0, share(static_cast<double>(*remote), static_cast<double>(*misses)))
                           : stolen_from_other_domains(run);
  return found;
}

}  // namespace

double bytes_a_second(const run_record& run) {
  constexpr double line_bytes = 64;
  const double user_s = 1e-9 * static_cast<double>(run.total_times().of(activity::user));
  const double missed = line_bytes * static_cast<double>(count_of(run, "last-level misses").value_or(0));
  return share(std::max(missed, static_cast<double>(run.bytes_declared)), user_s);
}

data_time split_data_time(const run_record& run, double inflation) {
  data_time found = run.simulated ? of_simulated(run) : of_real(run);
  if (inflation <= 0) return found;
  // One worker waits for data, too: only the additional time is lost.
  const double extra = inflation > 1 ? 1 - 1 / inflation : 0;
  if (run.simulated && found.remote + found.saturated > 0) {
    const double scale = extra / (found.remote + found.saturated);
    found.remote *= scale;
    found.saturated *= scale;
  } else {
    const bool far = found.remote_reads >= thresholds::many_remote;
    const bool much = !run.simulated && bytes_a_second(run) >= thresholds::much_data;
    (far ? found.remote : much ? found.saturated : found.slower) = extra;
  }
  return found;
}

}  // namespace skua::reports
