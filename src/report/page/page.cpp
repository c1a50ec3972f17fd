#include "report/page/page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/json.hpp"
#include "report/lines.hpp"
#include "report/page/chart_data.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

using json = nlohmann::ordered_json;
using namespace observe;

namespace {

using replacement = std::pair<std::string_view, std::string>;

// Replaces each {{mark}} by its text. Marks within such a text are kept.
std::string filled(std::string_view page, const std::vector<replacement>& marks) {
  std::string text;
  while (!page.empty()) {
    const std::size_t begin = page.find("{{"), end = page.find("}}", begin);
    if (end == std::string_view::npos) break;
    text += page.substr(0, begin);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    for (const auto& [mark, its_text] : marks)
      if (mark == name) text += its_text;
    page.remove_prefix(end + 2);
  }
  return text.append(page);
}

std::string title_of(const std::vector<shown_run>& runs) {
  std::string title;
  for (const shown_run& run : runs) title += (title.empty() ? "" : " and ") + run.record.program;
  if (runs.size() == 2 && runs[0].record.program == runs[1].record.program) title = runs[0].record.program;
  return title;
}

}  // namespace

std::string html_page(const std::vector<shown_run>& runs) {
  return filled(page_files::page_html, {{"title", escaped(title_of(runs))},
                                        {"style", std::string(page_files::style_css)},
                                        {"echarts", std::string(page_files::echarts_min_js)},
                                        {"data", page_data(runs)},
                                        {"script", std::string(page_files::script_js)}});
}

namespace {

json counts_of(const skua::counters& of) {
  return {{"forks", of.forks},
          {"group_tasks", of.group_tasks},
          {"own_tasks", of.own_tasks},
          {"attempts", of.attempts},
          {"steals", of.steals},
          {"misses", of.steal_misses},
          {"remote_steals", of.remote_steals},
          {"suspensions", of.suspensions},
          {"stacks", of.stacks},
          {"sleeps", of.sleeps},
          {"steals_by_distance", of.steals_by_distance}};
}

json worker_of(const worker_record& of) {
  json worker{{"cpu", of.seat.cpu}, {"domain", of.seat.domain},       {"package", of.seat.package},
              {"ns", of.times.ns},  {"counts", counts_of(of.counts)}, {"kernel", nullptr}};
  if (of.kernel)
    worker["kernel"] = {{"on_cpu_ns", of.kernel->on_cpu_ns},
                        {"waiting_ns", of.kernel->waiting_ns},
                        {"blocked_ns", of.kernel->blocked_ns},
                        {"preemptions", of.kernel->preemptions}};
  return worker;
}

json machine_of(const machine_record& of) {
  return {{"source", of.source},     {"simulated", of.simulated},
          {"level", of.level},       {"domain_kind", of.domain_kind},
          {"packages", of.packages}, {"domains", of.domains},
          {"cores", of.cores},       {"pus", of.pus},
          {"tree", of.tree},         {"distance_names", of.distance_names}};
}

json distribution_of(const distribution& of) {
  std::size_t classes = of.counts.size();
  while (classes && of.counts[classes - 1] == 0) --classes;
  return {{"counts", std::vector<std::uint64_t>(of.counts.begin(), of.counts.begin() + classes)},
          {"number", of.number},
          {"mean", of.mean()},
          {"min", of.min},
          {"max", of.max},
          {"median", of.quantile(0.5)},
          {"p90", of.quantile(0.9)},
          {"p99", of.quantile(0.99)}};
}

json timeline_of(const timeline_record& of) {
  const timeline_shares shares = shares_of(of);
  return {{"interval_ns", shares.interval_ns}, {"workers", shares.workers}};
}

json hardware_of(const std::vector<hardware_record>& of) {
  json events = json::array();
  for (const hardware_record& event : of) {
    json workers = json::array();
    for (const hardware_counts& worker : event.workers) workers.push_back(worker.of);
    events.push_back({{"event", event.event}, {"workers", std::move(workers)}});
  }
  return events;
}

json simulated_of(const std::optional<simulated_record>& of) {
  if (!of) return nullptr;
  json times = json::object(), caches = json::array(), nodes = json::array(), transfers = json::array();
  for (const named_time& one : simulated_time_names) times[std::string(one.name)] = of->times.*one.cycles;
  for (const simulated_cache& cache : of->caches)
    caches.push_back({{"level", cache.level},
                      {"hits", cache.hits},
                      {"misses", cache.demand_misses},
                      {"prefetches", cache.prefetches},
                      {"evictions", cache.evictions},
                      {"write_backs", cache.write_backs}});
  for (const simulated_node& node : of->nodes)
    nodes.push_back({{"bytes_read", node.bytes_read},
                     {"bytes_read_remotely", node.bytes_read_remotely},
                     {"bytes_written", node.bytes_written},
                     {"waiting_cycles", node.waiting_cycles}});
  for (const simulated_transfers& one : of->transfers)
    transfers.push_back({{"distance", one.distance}, {"words", one.words}, {"data", one.data}});
  return {{"cycles", of->cycles},
          {"times", std::move(times)},
          {"caches", std::move(caches)},
          {"nodes", std::move(nodes)},
          {"transfers", std::move(transfers)}};
}

json locks_json(const run_record& run) {
  json rows = json::array();
  for (const lock_record& lock : run.locks)
    rows.push_back({{"place", distinct_name(lock, run.locks)},
                    {"times", lock.times},
                    {"in_line", lock.in_line},
                    {"spun_ns", lock.spun_ns},
                    {"waited_ns", lock.waited_ns}});
  return rows;
}

/// With the shares as a list, like everything that is by activity.
json summary_of(const run_record& run) {
  json of = summary_json(run);
  of["share"] = summarise(run).share;
  return of;
}

json speedups_json(const run_record& run) {
  const speedups of = speedups_of(run);
  json measured = json::array(), predicted = json::array();
  for (const measured_speedup& point : of.measured) measured.push_back({point.workers, point.speedup});
  for (const predicted_speedup& point : of.predicted)
    predicted.push_back({point.workers, point.at_most, point.at_least});
  return {{"measured", std::move(measured)}, {"predicted", std::move(predicted)}};
}

json distances_json(const run_record& run) {
  json rows = json::array();
  for (const distance_row& row : distances_of(run))
    rows.push_back({row.name, row.steals, row.share, row.bytes ? json(*row.bytes) : json(nullptr)});
  return rows;
}

json run_of(const shown_run& shown) {
  const run_record& run = shown.record;
  json workers = json::array(), pairs = json::array();
  for (const worker_record& worker : run.workers) workers.push_back(worker_of(worker));
  for (const pair_record& pair : run.pairs)
    pairs.push_back({pair.thief, pair.victim, pair.steals, pair.misses, pair.looks, pair.bytes});
  return {{"name", shown.name},
          {"program", run.program},
          {"when", run.when},
          {"policy", run.policy},
          {"seed", run.seed},
          {"machine", machine_of(run.machine)},
          {"seconds", run.seconds},
          {"inside_seconds", run.inside_seconds},
          {"process_cpu_seconds", run.process_cpu_seconds},
          {"other_cpu_seconds", run.other_cpu_seconds},
          {"summary", summary_of(run)},
          {"verdict", verdict_json(run)},
          {"speedups", speedups_json(run)},
          {"ns", run.total_times().ns},
          {"counts", counts_of(run.total_counts())},
          {"workers", std::move(workers)},
          {"pairs", std::move(pairs)},
          {"distances", distances_json(run)},
          {"bytes_stolen", run.bytes_stolen},
          {"steal_latency", distribution_of(run.steal_latency)},
          {"steal_duration", distribution_of(run.steal_duration)},
          {"search_time", distribution_of(run.search_time)},
          {"task_size", distribution_of(run.task_size)},
          {"timeline", timeline_of(run.timeline)},
          {"work_span", work_span_json(run)},
          {"locks", locks_json(run)},
          {"hardware", hardware_of(run.hardware)},
          {"simulated", simulated_of(run.simulated)},
          {"baseline_seconds", run.baseline ? json(run.baseline->seconds) : json(nullptr)},
          {"notes", run.notes}};
}

}  // namespace

std::string page_data(const std::vector<shown_run>& runs) {
  json all{{"activities", activity_names}, {"runs", json::array()}};
  for (const shown_run& run : runs) all["runs"].push_back(run_of(run));
  const std::string text = all.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";  // in JSON only strings contain it
    else
      safe += c;
  }
  return safe;
}

}  // namespace skua::reports
