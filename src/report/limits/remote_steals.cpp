#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/list_text.hpp"
#include "report/limits/findings.hpp"
#include "report/words.hpp"

#include "report/data_time.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

namespace {

bool tasks_left_their_data(const facts& f) {
  if (f.sum.remote_share < thresholds::many_remote) return false;
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  return data.one_memory < thresholds::one_memory && !data.dealt_out;
}

/// Those that steal nearby or where data are, but for the one in use, whatever its options.
std::string other_policies(std::string_view used) {
  used = base::name_before_parenthesis(used);
  std::vector<std::string_view> others;
  for (const std::string_view name : {"nearest", "bitier", "affinity"})
    if (name != used) others.push_back(name);
  const std::string_view last = others.back();
  others.pop_back();
  return fmt::format("{} or {}", fmt::join(others, ", "), last);
}

}  // namespace

finding find_remote_steals(const facts& f) {
  finding found{.what = limit::remote_steals};
  if (!tasks_left_their_data(f)) return found;
  found.lost = f.books.remote_data;
  const counters counts = f.run.total_counts();
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  found.sentence = fmt::format(
      "Remote steals limit it: {} of {} steals came from another {}, and the tasks then lost {} of the time "
      "on data "
      "that are far.",
      percent(f.sum.remote_share), count(counts.steals),
      f.run.machine.domain_kind.empty() ? "domain" : f.run.machine.domain_kind, percent(found.lost));
  if (f.run.simulated)
    found.evidence.push_back(
        fmt::format("{} of the lines that were read came from another package", percent(data.remote_reads)));
  if (f.run.bytes_stolen)
    found.evidence.push_back(
        fmt::format("stolen tasks declare {}", amount_of_bytes(static_cast<double>(f.run.bytes_stolen))));
  if (f.sum.work_inflation > 0)
    found.evidence.push_back(
        fmt::format("the same work took {} times as long as on one worker", decimal(f.sum.work_inflation)));
  found.advice =
      fmt::format("Steal near first or keep tasks with their data: policy {} instead of {}, or hints.",
                  other_policies(f.run.policy), f.run.policy.empty() ? "this one" : f.run.policy);
  return found;
}

}  // namespace skua::reports
