#include "paper/run_report.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace skua::paper {

run_report read_report(const std::string& text) try {
  const auto json = nlohmann::json::parse(text);
  run_report report;
  report.verified = json.at("verified");
  if (!report.verified)
    throw std::runtime_error("the answer of " + json.at("name").get<std::string>() +
                             " is wrong: " + json.at("answer").get<std::string>());
  report.seconds = json.at("seconds");
  const auto& counted = json.at("counters");
  report.attempts = counted.at("attempts");
  report.steal_misses = counted.at("steal_misses");
  report.remote_attempts = counted.at("remote_attempts");
  report.remote_steals = counted.at("remote_steals");
  for (const auto& cache : json.at("simulated").at("caches"))
    report.demand_misses[cache.at("level")] = cache.at("demand_misses");
  report.times = json.at("simulated").at("times");
  if (json.contains("times")) report.kept_times = json.at("times").at("ns");
  for (const auto& [name, of] : json.at("simulated").at("operations").items())
    report.operations[name] = {of.at("times"), of.at("cycles")};
  report.tasks = json.at("simulated").at("tasks").at("run");
  report.stolen_tasks = json.at("simulated").at("tasks").at("stolen");
  report.above_boundary = json.at("simulated").at("above_boundary_cycles");
  report.numbers = json.at("numbers");
  return report;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("a run printed what is no report of a run: ") + error.what());
}

}  // namespace skua::paper
