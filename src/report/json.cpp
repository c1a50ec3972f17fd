#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "report/account.hpp"
#include "report/distances.hpp"
#include "report/json_parts.hpp"
#include "report/prediction.hpp"

namespace skua::reports {

namespace {

using nlohmann::ordered_json;
using observe::run_record;

ordered_json account_json(const account& a) {
  return {{"useful", a.useful},
          {"outside", a.outside},
          {"library", a.library},
          {"few_parts", a.few_parts},
          {"small_parts", a.small_parts},
          {"long_tasks", a.long_tasks},
          {"remote_data", a.remote_data},
          {"memory", a.memory},
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
          {"most_ns", d.max}};
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

}  // namespace

ordered_json to_json(const run_record& run) {
  // What a record has in numbers stands here as it stands there.
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
            {"pus", run.machine.pus}}},
          {"verdict", verdict_json(run)},
          {"summary", summary_json(run)},
          {"account", account_json(draw_up(run))},
          {"structure", work_span_json(run)},
          {"prediction", prediction_json(run)},
          {"steal_latency", distribution_json(run.steal_latency)},
          {"steal_duration", distribution_json(run.steal_duration)},
          {"search_time", distribution_json(run.search_time)},
          {"task_size", distribution_json(run.task_size)},
          {"process_cpu_seconds", run.process_cpu_seconds},
          {"other_cpu_seconds", run.other_cpu_seconds},
          {"bytes_stolen", run.bytes_stolen},
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
