#include "cli/scale/scale_json.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace skua::cli {

using nlohmann::ordered_json;

namespace {

ordered_json by_activity(const auto& numbers) {
  ordered_json all;
  for (std::size_t i = 0; i < activity_count; ++i) all[std::string(activity_names[i])] = numbers[i];
  return all;
}

ordered_json json_of(const paper::scaling_curve& curve, const paper::scaling_point& point) {
  const paper::scaled at = scaled_at(curve, point);
  return {{"workers", point.workers},
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
}

}  // namespace

ordered_json json_of(const paper::scaling& all) {
  ordered_json out = {{"program", all.program}, {"machine", all.machine}, {"simulated", all.simulated}};
  if (all.serial_seconds) out["serial_seconds"] = *all.serial_seconds;
  out["curves"] = ordered_json::array();
  for (const paper::scaling_curve& curve : all.curves) {
    ordered_json points = ordered_json::array();
    for (const paper::scaling_point& point : curve.points) points.push_back(json_of(curve, point));
    out["curves"].push_back({{"policy", curve.policy}, {"points", std::move(points)}});
  }
  return out;
}

}  // namespace skua::cli
