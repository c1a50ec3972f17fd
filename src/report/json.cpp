#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "report/account.hpp"
#include "report/lines.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

using nlohmann::ordered_json;
using observe::run_record;

namespace {

ordered_json by_activity(const std::array<double, activity_count>& shares) {
  ordered_json all;
  for (std::size_t i = 0; i < activity_count; ++i) all[std::string(activity_names[i])] = shares[i];
  return all;
}

}  // namespace

ordered_json verdict_json(const run_record& run) {
  const verdict v = judge(run);
  return {{"limit", limit_names[static_cast<std::size_t>(v.what)]},
          {"sentence", v.sentence},
          {"advice", v.advice},
          {"evidence", v.evidence}};
}

ordered_json summary_json(const run_record& run) {
  const summary s = summarise(run);
  ordered_json inflation = nullptr;
  if (s.work_inflation > 0) inflation = s.work_inflation;
  return {{"workers", s.workers},
          {"seconds", s.seconds},
          {"outside_seconds", s.outside_seconds},
          {"speedup", s.speedup},
          {"speedup_measured", s.speedup_measured},
          {"efficiency", s.efficiency},
          {"share", by_activity(s.share)},
          {"unattributed", s.unattributed},
          {"library", s.library},
          {"work_inflation", inflation},
          {"remote_share", s.remote_share},
          {"miss_share", s.miss_share}};
}

ordered_json work_span_json(const run_record& run) {
  if (!run.work_span) return nullptr;
  const observe::work_span_record& s = *run.work_span;
  ordered_json sites = ordered_json::array();
  for (const observe::call_site_record& site : s.sites)
    sites.push_back({{"name", site.name},
                     {"place", distinct_name(site, s.sites)},
                     {"address", site.address},
                     {"line", site.line},
                     {"kind", site.kind},
                     {"span_ns", site.span_ns},
                     {"work_ns", site.work_ns},
                     {"times", site.times},
                     {"inside", site.inside},
                     {"calls", site.calls},
                     {"positions", site.positions},
                     {"min_positions", site.min_positions},
                     {"max_positions", site.max_positions}});
  return {{"work_ns", s.work_ns},
          {"span_ns", s.span_ns},
          {"burdened_span_ns", s.burdened_span_ns},
          {"burden_ns", s.burden_ns},
          {"parallelism", s.parallelism()},
          {"burdened_parallelism", s.burdened_parallelism()},
          {"forks", s.forks},
          {"loops", s.loops},
          {"group_tasks", s.group_tasks},
          {"exact", s.exact},
          {"grain_ns", s.grain_ns},
          {"sites", std::move(sites)}};
}

namespace {

ordered_json account_json(const account& a) {
  return {{"useful", a.useful},
          {"outside", a.outside},
          {"library", a.library},
          {"few_parts", a.few_parts},
          {"small_parts", a.small_parts},
          {"long_tasks", a.long_tasks},
          {"remote_data", a.remote_data},
          {"memory", a.memory},
          {"slower", a.slower},
          {"locks", a.locks},
          {"blocked", a.blocked},
          {"waiting_for_cpu", a.waiting_for_cpu},
          {"unattributed", a.unattributed}};
}

ordered_json prediction_json(const run_record& run) {
  ordered_json all = ordered_json::array();
  for (const predicted_speedup& p : predict(run)) {
    ordered_json measured = nullptr;
    if (p.measured) measured = *p.measured;
    all.push_back(
        {{"workers", p.workers}, {"at_least", p.at_least}, {"at_most", p.at_most}, {"measured", measured}});
  }
  return all;
}

ordered_json distribution_json(const observe::distribution& d) {
  return {{"number", d.number},
          {"mean_ns", d.mean()},
          {"median_ns", d.quantile(0.5)},
          {"of_90_percent_ns", d.quantile(0.9)},
          {"max_ns", d.max}};
}

ordered_json distances_json(const run_record& run) {
  ordered_json all = ordered_json::array();
  for (const distance_row& row : distances_of(run)) {
    ordered_json bytes = nullptr;
    if (row.bytes) bytes = *row.bytes;
    all.push_back({{"distance", row.name}, {"steals", row.steals}, {"share", row.share}, {"bytes", bytes}});
  }
  return all;
}

/// The recorded numbers, and the lines that the tool has found.
ordered_json locks_json(const run_record& run, const ordered_json& recorded) {
  ordered_json all = recorded.at("locks");
  for (std::size_t i = 0; i < all.size(); ++i) all[i]["line"] = run.locks[i].line;
  return all;
}

}  // namespace

ordered_json to_json(const run_record& run) {
  // The numbers of a record are copied from it.
  const auto recorded = ordered_json::parse(observe::to_json(run));
  return {{"program", run.program},
          {"when", run.when},
          {"policy", run.policy},
          {"seed", run.seed},
          {"machine",
           {{"source", run.machine.source},
            {"simulated", run.machine.simulated},
            {"packages", run.machine.packages},
            {"domains", run.machine.domains},
            {"cores", run.machine.cores},
            {"pus", run.machine.pus},
            {"usable_cpus", run.machine.usable_cpus},
            {"cpu_quota", run.machine.cpu_quota}}},
          {"verdict", verdict_json(run)},
          {"summary", summary_json(run)},
          {"account", account_json(account_of(run))},
          {"work_span", work_span_json(run)},
          {"prediction", prediction_json(run)},
          {"steal_latency", distribution_json(run.steal_latency)},
          {"steal_duration", distribution_json(run.steal_duration)},
          {"search_time", distribution_json(run.search_time)},
          {"task_size", distribution_json(run.task_size)},
          {"process_cpu_seconds", run.process_cpu_seconds},
          {"other_cpu_seconds", run.other_cpu_seconds},
          {"bytes_stolen", run.bytes_stolen},
          {"bytes_declared", run.bytes_declared},
          {"choices", recorded.at("choices")},
          {"locks", locks_json(run, recorded)},
          {"distances", distances_json(run)},
          {"pairs", recorded.at("pairs")},
          {"workers", recorded.at("workers")},
          {"hardware", recorded.at("hardware")},
          {"simulated", recorded.at("simulated")},
          {"baseline", recorded.at("baseline")},
          {"curve", recorded.at("curve")},
          {"notes", run.notes}};
}

}  // namespace skua::reports
