// What workers did for how long: all of them together, and each.
#include <fmt/core.h>

#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

constexpr std::size_t bar_columns = 40;

std::string bar(double share) {
  const auto length = static_cast<std::size_t>(share * static_cast<double>(bar_columns) + 0.5);
  return length ? "  " + std::string(length, '#') : "";
}

std::vector<std::string> line_of_worker(const observe::run_record& run, std::size_t w) {
  const observe::worker_record& worker = run.workers[w];
  std::vector<std::string> cells = {fmt::format("{} on CPU {}", w, worker.seat.cpu)};
  const auto all = static_cast<double>(worker.times.sum());
  for (const std::uint64_t ns : worker.times.ns)
    cells.push_back(all > 0 ? percent(static_cast<double>(ns) / all) : "-");
  return cells;
}

}  // namespace

std::string times_section(const observe::run_record& run, bool each_worker) {
  const summary s = summarise(run);
  const worker_times times = run.total_times();
  std::string all = "Time of all workers\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < activity_count; ++i)
    all += fmt::format("  {:<12}{:>6}  {:>8}{}\n", activity_names[i], percent(s.share[i]),
                       duration(static_cast<double>(times.ns[i])), bar(s.share[i]));
  all += fmt::format("  library: {} (all but user and asleep); not attributed: {}\n", percent(s.library),
                     percent(s.unattributed));
  if (!each_worker) return all;
  // Two words a column would make the table wider than a terminal.
  rows.push_back(
      {"worker", "user", "spawn", "queue", "look", "claim", "take", "wait", "suspend", "resume", "asleep"});
  for (std::size_t w = 0; w < run.workers.size(); ++w) rows.push_back(line_of_worker(run, w));
  return all + "\n" + table(rows);
}

}  // namespace skua::reports
