#include "report/json_parts.hpp"

#include <nlohmann/json.hpp>

#include "report/call_site_name.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

using nlohmann::ordered_json;
using observe::run_record;

namespace {

ordered_json by_what_was_done(const std::array<double, activity_count>& shares) {
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
          {"share", by_what_was_done(s.share)},
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
                     {"place", call_site_name(site, s.sites)},
                     {"address", site.address},
                     {"kind", site.kind},
                     {"span_ns", site.span_ns},
                     {"work_ns", site.work_ns},
                     {"times", site.times},
                     {"inside", site.inside}});
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

}  // namespace skua::reports
