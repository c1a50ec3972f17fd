// JSON of `skua scale`: what its runs print, and what it prints.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "cli/output.hpp"
#include "cli/scale/scale_plan.hpp"

namespace skua::cli {

using nlohmann::ordered_json;

namespace {

ordered_json by_activity(const auto& numbers) {
  ordered_json all;
  for (std::size_t i = 0; i < activity_count; ++i) all[std::string(activity_names[i])] = numbers[i];
  return all;
}

ordered_json point_json(const paper::scaling_curve& curve, const paper::scaling_point& point) {
  const paper::scaled at = scaled_at(curve, point);
  ordered_json all = {{"workers", point.workers},
                      {"seconds", at.seconds},
                      {"seconds_of_runs", point.seconds},
                      {"speedup", at.speedup},
                      {"efficiency", at.efficiency},
                      {"user", at.share_of(activity::user)},
                      {"library", at.library},
                      {"asleep", at.share_of(activity::asleep)},
                      {"work_inflation", at.inflation},
                      {"stealing_of_library", at.stealing},
                      {"waiting_of_stealing", at.waiting},
                      {"ns", by_activity(point.times.ns)},
                      {"shares", by_activity(at.share)},
                      {"over_work_of_one", by_activity(at.of_work)}};
  if (!point.waiting_for_cpu.empty()) all["waiting_for_cpu_of_runs"] = point.waiting_for_cpu;
  return all;
}

}  // namespace

void take(const own_run& ran, paper::scaling_curve& curve, paper::scaling_point& point) {
  if (!ran.complaint.empty()) throw std::runtime_error(ran.complaint);
  const auto printed = nlohmann::json::parse(ran.output);
  if (!printed.at("verified"))
    throw std::runtime_error(fmt::format("the answer on {} is wrong: {}",
                                         base::counted(point.workers, "worker"),
                                         printed.at("answer").get<std::string>()));
  curve.policy = printed.at("policy");
  point.seconds = printed.at("seconds_of_runs").get<std::vector<double>>();
  point.waiting_for_cpu = printed.at("times").value("waiting_for_cpu_of_runs", std::vector<double>{});
  const auto& ns = printed.at("times").at("ns");
  for (std::size_t i = 0; i < activity_count; ++i) point.times.ns[i] = ns.at(std::string(activity_names[i]));
}

void print_json(const paper::scaling& all) {
  ordered_json out = {{"program", all.program}, {"machine", all.machine}, {"simulated", all.simulated}};
  if (all.serial_seconds) out["serial_seconds"] = *all.serial_seconds;
  out["curves"] = ordered_json::array();
  for (const paper::scaling_curve& curve : all.curves) {
    ordered_json points = ordered_json::array();
    for (const paper::scaling_point& point : curve.points) points.push_back(point_json(curve, point));
    out["curves"].push_back({{"policy", curve.policy}, {"points", std::move(points)}});
  }
  if (!all.simulated) out["disturbed_runs"] = paper::disturbed_runs(paper::waits_of(all));
  print_json_text(out);
}

}  // namespace skua::cli
