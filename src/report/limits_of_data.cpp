// The rules on data: tasks far from their data, saturated memories, and work that became slower.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/list_text.hpp"
#include "base/number_text.hpp"
#include "report/data_time.hpp"
#include "report/limits.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

using namespace base;

namespace {

bool tasks_left_their_data(const facts& f) {
  if (f.sum.remote_share < thresholds::many_remote) return false;
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  return data.one_memory < thresholds::one_memory && !data.interleaved;
}

/// The policies that steal nearby or where data are, without the one in use (its options do not matter).
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
  found.lost = f.shares.remote_data;
  const counters counts = f.run.total_counts();
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  found.sentence = fmt::format(
      "Remote steals limit it: {} of {} steals came from another {}, and tasks then spent {} of the time "
      "waiting for remote data.",
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
  found.advice = fmt::format(
      "Steal from near workers first, or keep tasks with their data: use policy {} instead of {}, or hints.",
      other_policies(f.run.policy), f.run.policy.empty() ? "this one" : f.run.policy);
  return found;
}

finding find_memory_bandwidth(const facts& f) {
  finding found{.what = limit::memory_bandwidth, .lost = f.shares.memory};
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  const bool in_one = data.one_memory >= thresholds::one_memory;
  // Remote data that steals did not cause belong to this limit.
  if (find_remote_steals(f).lost == 0) found.lost += f.shares.remote_data;
  if (f.sum.work_inflation > 0)
    found.sentence = fmt::format(
        "Memory bandwidth limits it: the same work took {} times as long as on one worker; that is {} of the "
        "time.",
        decimal(f.sum.work_inflation), percent(found.lost));
  else if (data.interleaved)
    found.sentence = fmt::format(
        "Memory bandwidth limits it: {} of the time was spent waiting for memories. Most of them are remote, "
        "because pages are interleaved over all memories.",
        percent(found.lost));
  else
    found.sentence = fmt::format(
        "Memory bandwidth limits it: {} of the time was spent waiting for saturated memories and links.",
        percent(found.lost));
  if (data.fullest > 0)
    found.evidence.push_back(fmt::format("the busiest memory delivered {} of its bandwidth",
                                         percent(std::min(1.0, data.fullest))));
  if (in_one)
    found.evidence.push_back(
        fmt::format("one memory of several served {} of all bytes", percent(data.one_memory)));
  if (data.remote_reads > 0)
    found.evidence.push_back(
        fmt::format("{} of the lines that were read were remote", percent(data.remote_reads)));
  if (in_one)
    found.advice =
        "Let the workers that use data touch them first, or interleave their pages over all memories.";
  else if (data.interleaved)
    found.advice =
        "Place pages in the memory of the thread that touches them first, and steal from near workers; or "
        "use "
        "fewer bytes for each operation.";
  else
    found.advice = "Use fewer bytes for each operation: smaller blocks that stay in caches, or fused loops.";
  return found;
}

finding find_slower_work(const facts& f) {
  finding found{.what = limit::slower_work, .lost = f.shares.slower};
  if (found.lost <= 0) return found;
  found.sentence = fmt::format(
      "Work that became slower limits it: the same work took {} times as long as on one worker; that is {} "
      "of "
      "the time.",
      decimal(f.sum.work_inflation), percent(found.lost));
  found.evidence.push_back(
      "neither counters nor declared bytes show the cause: memories, lines that several workers write, "
      "locks, "
      "or a lower clock rate");
  found.advice =
      "Look for variables, counters and locks that several workers write. Declare what tasks read and write "
      "(skua::reads, skua::writes) to see whether memories limit it.";
  return found;
}

}  // namespace skua::reports
