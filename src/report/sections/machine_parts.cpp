// What the hardware, the kernel or a simulated machine counted; and the record's notes.
#include <fmt/core.h>

#include <numeric>

#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

std::string kernel_line(const observe::run_record& run) {
  observe::kernel_record all;
  bool known = false;
  for (const observe::worker_record& worker : run.workers) {
    if (!worker.kernel) continue;
    known = true;
    all.on_cpu_ns += worker.kernel->on_cpu_ns;
    all.waiting_ns += worker.kernel->waiting_ns;
    all.blocked_ns += worker.kernel->blocked_ns;
    all.preemptions += worker.kernel->preemptions;
  }
  if (!known) return "";
  const auto ns = [](std::uint64_t value) { return duration(static_cast<double>(value)); };
  std::string text = fmt::format(
      "threads of workers: {} on a CPU, {} waiting for one, {} blocked in tasks, {}", ns(all.on_cpu_ns),
      ns(all.waiting_ns), ns(all.blocked_ns), counted(all.preemptions, "preemption"));
  if (run.other_cpu_seconds > 0)
    text += fmt::format("; other processes had {} of CPU time", duration(1e9 * run.other_cpu_seconds));
  return wrapped(text, 2);
}

std::uint64_t sum_of(const observe::hardware_record& event, bool only_user) {
  std::uint64_t all = 0;
  for (const observe::hardware_counts& worker : event.workers)
    all += only_user ? worker.of[static_cast<std::size_t>(activity::user)]
                     : std::accumulate(worker.of.begin(), worker.of.end(), std::uint64_t{0});
  return all;
}

}  // namespace

std::string hardware_section(const observe::run_record& run) {
  std::string all = kernel_line(run);
  std::vector<std::vector<std::string>> rows = {{"event", "all", "in user time"}};
  for (const observe::hardware_record& event : run.hardware)
    rows.push_back({event.event, count(sum_of(event, false)), count(sum_of(event, true))});
  if (rows.size() > 1) all += table(rows);
  return all.empty() ? "" : "Kernel and hardware\n" + all;
}

std::string simulated_section(const observe::run_record& run) {
  if (!run.simulated) return "";
  const observe::simulated_record& simulated = *run.simulated;
  std::string all = fmt::format("Simulated machine, {} cycles\n", count(simulated.cycles));
  const std::string times = to_string(simulated.times);
  // One more than there are workers, so that the share of sleep is not that of "Time of all workers".
  if (!times.empty())
    all += wrapped("workers' threads and the caller's, which sleeps when it lends its place: " + times, 2);
  std::vector<std::vector<std::string>> caches = {{"cache", "hits", "misses", "prefetches", "evictions"}};
  for (const simulated_cache& c : simulated.caches)
    if (c.hits + c.demand_misses + c.prefetches > 0)
      caches.push_back({fmt::format("L{}", c.level), count(c.hits), count(c.demand_misses),
                        count(c.prefetches), count(c.evictions)});
  if (caches.size() > 1) all += table(caches);
  std::vector<std::vector<std::string>> nodes = {
      {"memory", "read", "of it from afar", "written", "waited, cycles"}};
  for (std::size_t i = 0; i < simulated.nodes.size(); ++i) {
    const simulated_node& n = simulated.nodes[i];
    if (n.bytes_read + n.bytes_written == 0) continue;
    const auto bytes = [](std::uint64_t value) { return amount_of_bytes(static_cast<double>(value)); };
    nodes.push_back({count(i), bytes(n.bytes_read), bytes(n.bytes_read_remotely), bytes(n.bytes_written),
                     count(n.waiting_cycles)});
  }
  if (nodes.size() > 1) all += table(nodes);
  std::vector<std::vector<std::string>> moved = {{"lines between caches", "scheduler", "data"}};
  for (const simulated_transfers& t : simulated.transfers)
    if (t.words || t.data) moved.push_back({t.distance, count(t.words), count(t.data)});
  if (moved.size() > 1) all += table(moved);
  return all;
}

std::string notes_section(const observe::run_record& run) {
  if (run.notes.empty()) return "";
  std::string all = "Notes\n";
  for (const std::string& note : run.notes) all += wrapped(note, 4, "- ");
  return all;
}

}  // namespace skua::reports
