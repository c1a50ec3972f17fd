// Who took from whom, how far that was and how long it took.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "report/distances.hpp"
#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

/// The pairs that stole most from each other: enough to see who depends on whom; the page shows all.
std::string best_pairs(const observe::run_record& run) {
  constexpr std::size_t shown = 5;
  std::vector<observe::pair_record> pairs = run.pairs;
  std::ranges::sort(pairs, std::greater{}, [](const observe::pair_record& pair) {
    return std::tuple(pair.steals, ~pair.thief, ~pair.victim);
  });
  std::string all;
  for (std::size_t i = 0; i < std::min(shown, pairs.size()) && pairs[i].steals > 0; ++i)
    all += fmt::format("{}{} from {}: {}", all.empty() ? "" : ", ", pairs[i].thief, pairs[i].victim,
                       count(pairs[i].steals));
  return all;
}

/// With the declared bytes where there are any.
std::string distances_table(const observe::run_record& run) {
  const std::vector<distance_row> distances = distances_of(run);
  if (distances.empty()) return "";
  const bool declared =
      std::ranges::any_of(distances, [](const auto& row) { return row.bytes.value_or(0) > 0; });
  std::vector<std::vector<std::string>> rows = {{"distance", "steals", "share"}};
  if (declared) rows[0].push_back("declared data");
  for (const distance_row& row : distances) {
    rows.push_back({row.name, count(row.steals), percent(row.share)});
    if (declared) rows.back().push_back(amount_of_bytes(static_cast<double>(*row.bytes)));
  }
  return table(rows);
}

}  // namespace

std::string steals_section(const observe::run_record& run) {
  const counters counts = run.total_counts();
  const summary s = summarise(run);
  std::string all = "Steals\n";
  all +=
      wrapped(fmt::format("{} in {} attempts, {} missed, {} from another domain; {}, {} in groups, {}, {}",
                          counted(counts.steals, "steal"), count(counts.attempts), percent(s.miss_share),
                          percent(s.remote_share), counted(counts.forks, "fork"), count(counts.group_tasks),
                          counted(counts.suspensions, "suspension"), counted(counts.sleeps, "sleep")),
              2);
  all += distances_table(run);
  std::uint64_t looks = 0;
  for (const observe::pair_record& pair : run.pairs) looks += pair.looks;
  if (looks) all += fmt::format("  the policy looked {} at other workers\n", counted(looks, "time"));
  if (run.bytes_stolen)
    all += fmt::format("  stolen tasks declare {}\n", amount_of_bytes(static_cast<double>(run.bytes_stolen)));
  const std::string pairs = best_pairs(run);
  if (!pairs.empty()) all += wrapped("most, thief from victim: " + pairs, 2);
  return all;
}

std::string distributions_section(const observe::run_record& run) {
  struct named {
    const char* name;
    const observe::distribution& of;
  };
  std::vector<std::vector<std::string>> rows = {{"", "number", "median", "90% within", "longest"}};
  for (const auto& [name, of] :
       {named{"a stolen task", run.task_size}, named{"a steal", run.steal_duration},
        named{"search until a steal", run.steal_latency}, named{"any search", run.search_time}})
    if (of.number > 0)
      rows.push_back({name, count(of.number), duration(of.quantile(0.5)), duration(of.quantile(0.9)),
                      duration(static_cast<double>(of.max))});
  return rows.size() > 1 ? "How long it took\n" + table(rows) : "";
}

}  // namespace skua::reports
