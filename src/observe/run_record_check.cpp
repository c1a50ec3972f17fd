#include "observe/run_record_check.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "observe/run_record.hpp"

namespace skua::observe {

namespace {

using nlohmann::json;

/// A record with one of everything, so that its JSON shows the kind of each member.
json make_example() {
  worker_times times;
  times.ns.fill(1);
  worker_record worker{.times = times, .kernel = kernel_record{}};
  worker.counts.steals_by_distance = {1};
  distribution any;
  any.add(1);
  hardware_counts counted;
  counted.of.fill(1);
  run_record all;
  all.machine.distance_names = {"name"};
  all.workers = {worker};
  all.pairs = {{.distance = 0}};
  all.steal_latency = all.steal_duration = all.search_time = all.task_size = any;
  all.timeline.workers = {{times}};
  all.locks = {lock_record{}};
  all.choices = {choice_record{.tried = {tried_policy_record{}}}};
  all.work_span = work_span_record{.sites = {call_site_record{}}};
  all.hardware = {{.workers = {counted}}};
  all.simulated = simulated_record{
      .caches = {simulated_cache{}}, .nodes = {simulated_node{}}, .transfers = {simulated_transfers{}}};
  all.baseline = baseline_record{};
  all.curve = {speedup_point{}};
  all.notes = {"note"};
  return json::parse(to_json(all));
}

std::string_view kind_of(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "true or false";
  return value.is_null() ? "null" : "a number of 0 or more";
}

bool is_alike(const json& value, const json& example) {
  if (!example.is_number()) return value.type() == example.type();
  return value.is_number() && value.get<double>() >= 0;
}

bool may_be_null(std::string_view name) {
  constexpr std::string_view these[] = {"kernel", "work_span", "simulated", "baseline", "distance"};
  return std::ranges::find(these, name) != std::end(these);
}

std::string wrong_in(const json& value, const json& example, const std::string& path);

std::string wrong_in_object(const json& value, const json& example, const std::string& path) {
  for (const auto& [name, member] : value.items()) {
    const auto known = example.find(name);
    if (known == example.end() || (member.is_null() && may_be_null(name))) continue;
    std::string wrong = wrong_in(member, *known, path.empty() ? name : path + "." + name);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string wrong_in(const json& value, const json& example, const std::string& path) {
  if (!is_alike(value, example)) {
    const std::string is = value.is_number() ? value.dump() : std::string(kind_of(value));
    return "its " + path + " is " + is + ", not " + std::string(kind_of(example));
  }
  if (value.is_object()) return wrong_in_object(value, example, path);
  if (value.is_array() && !example.empty())
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string wrong = wrong_in(value[i], example[0], path + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
  return {};
}

}  // namespace

std::string wrong_member(const json& record) {
  static const json example = make_example();
  return wrong_in(record, example, "");
}

}  // namespace skua::observe
