#include "cli/paper/paper_runner.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include <skua/topology.hpp>

#include "cli/paper/paper.hpp"
#include "paper/measures.hpp"

namespace skua::cli {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view beginning = "{\"command\":";  // of each line of kept_runs

std::vector<arguments> commands_of(const paper::plan& how, std::uint64_t seed) {
  std::vector<arguments> all{how.command(seed)};
  if (how.looked_at->wants_alone) all.push_back(how.command(seed, true));
  return all;
}

std::string level_text(paper::level level, paper::size how_much) {
  static constexpr const char* models[] = {
      "L0, every shared word costs the same", "L1, shared words travel between cores",
      "L2, data go through caches too", "L3, memories and buses have a bandwidth too"};
  const auto at = static_cast<std::size_t>(level);
  if (at >= std::size(models)) return {};
  return fmt::format("{}; {} size", models[at], how_much == paper::size::quick ? "quick" : "full");
}

}  // namespace

kept_runs::kept_runs(const std::string& path) {
  if (path.empty()) return;
  read(path);
  file_.open(path, std::ios::app);
  if (!file_)
    throw bad_input(
        fmt::format("cannot write '{}': {}; allowed: a file in a folder that exists; nearest: runs.jsonl",
                    path, std::strerror(errno)));
}

// A last line without an end comes from a series that was stopped while it wrote: it is removed. No line of any other file
// may be removed.
void kept_runs::read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::uintmax_t whole = 0;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (file.eof() && line.starts_with(beginning)) {
      std::error_code refused;  // then it cannot be written either
      return std::filesystem::resize_file(path, whole, refused);
    }
    take(line, path, number);
    whole += line.size() + 1;
  }
}

void kept_runs::take(const std::string& line, const std::string& path, std::size_t number) try {
  const ordered_json kept = ordered_json::parse(line);
  before_[kept.at("command").get<arguments>()] = {
      .output = kept.at("output"), .ending = {}, .complaint = {}, .seconds = kept.at("seconds")};
} catch (const ordered_json::exception&) {
  throw bad_input(
      fmt::format("line {} of '{}' is not a kept run; allowed: a file that --keep wrote; nearest: a new file",
                  number, path));
}

const own_run* kept_runs::find(const arguments& command) const {
  const auto found = before_.find(command);
  return found == before_.end() ? nullptr : &found->second;
}

void kept_runs::add(const arguments& command, const own_run& ran) {
  if (!file_.is_open() || !ran.complaint.empty()) return;
  file_ << ordered_json{{"command", command}, {"output", ran.output}, {"seconds", ran.seconds}}.dump() << '\n'
        << std::flush;
}

std::vector<std::uint64_t> seeds_for(const paper::figure& of, std::size_t wanted) {
  if (wanted == 0) return of.seeds;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= wanted; ++seed) seeds.push_back(seed);
  return seeds;
}

void paper_runner::run(const std::vector<const paper::figure*>& figures,
                       const std::function<void(std::size_t, std::size_t)>& progress) {
  std::set<arguments> seen;
  std::vector<arguments> commands;
  for (const paper::figure* of : figures)
    for (const auto& [where, how] : paper::coverage_of(*of, size_, exact_value).runs)
      for (const std::uint64_t seed : seeds_for(*of, seeds_))
        for (arguments& words : commands_of(how, seed))
          if (!recall(words) && seen.insert(words).second) commands.push_back(std::move(words));
  progress(0, commands.size());
  std::vector<own_run> runs =
      run_ourselves(commands, [&](std::size_t done, std::size_t which, const own_run& ran) {
        kept_.add(commands[which], ran);
        progress(done, commands.size());
      });
  for (std::size_t i = 0; i < commands.size(); ++i) ran_[commands[i]] = std::move(runs[i]);
}

bool paper_runner::recall(const arguments& command) {
  if (const own_run* const before = kept_.find(command)) ran_.try_emplace(command, *before);
  return ran_.contains(command);
}

bool paper_runner::measure_point(const paper::figure& of, const paper::point& where, const paper::plan& how,
                                 paper::outcome& to, std::set<arguments>& used) const {
  std::vector<double> numbers;
  for (const std::uint64_t seed : seeds_for(of, seeds_)) {
    std::vector<paper::run_report> reports;
    for (const arguments& words : commands_of(how, seed)) {
      const own_run& ran = ran_.at(words);
      if (used.insert(words).second) to.seconds += ran.seconds;
      if (!ran.complaint.empty()) {
        to.not_run = ran.complaint;
        return false;
      }
      reports.push_back(paper::read_report(ran.output));
    }
    numbers.push_back(how.looked_at->read({.run = reports.front(), .alone = reports.back()}));
  }
  to.measured[where] = std::move(numbers);
  return true;
}

/// The machines of the points that were run, sorted by name.
std::string paper_runner::machines_of(const paper::figure& of, const paper::outcome& done) const {
  std::set<std::string> machines;
  for (const auto& [where, numbers] : done.measured) machines.insert(of.setup_at(where, size_).machine);
  machines.erase("");
  return fmt::format("{}", fmt::join(machines, ", "));
}

/// The factors by which the lengths of tasks are scaled, each program and factor once.
std::vector<paper::tuned_constant> paper_runner::tuned_for(const paper::figure& of,
                                                           const paper::outcome& done) const {
  std::vector<paper::tuned_constant> tuned;
  for (const auto& [where, numbers] : done.measured) {
    const paper::setup how = of.setup_at(where, size_);
    const auto said = how.options.find("slowdown");
    if (said == how.options.end() || said->second == "1") continue;  // 1: as declared
    const std::string name = "slowdown of " + how.workload;
    const auto same = [&](const paper::tuned_constant& one) {
      return one.name == name && one.value == said->second;
    };
    if (std::ranges::none_of(tuned, same))
      tuned.push_back(
          {name, said->second, "declared cycles times this make tasks as long as the paper says"});
  }
  return tuned;
}

std::string paper_runner::command_for(const paper::figure& of) const {
  return fmt::format("skua paper {} --size {}{}", of.name(), size_ == paper::size::quick ? "quick" : "full",
                     seeds_ ? fmt::format(" --seeds {}", seeds_) : "");
}

paper::outcome paper_runner::outcome_of(const paper::figure& of) const {
  paper::outcome to;
  if (of.level == paper::level::inputs) return to;
  const paper::coverage can = paper::coverage_of(of, size_, exact_value);
  if (!can.complete()) to.not_run = (can.nothing() ? "" : "some points: ") + can.needs_words();
  for (const auto& [where, value] : can.exact) to.measured[where].assign(seeds_for(of, seeds_).size(), value);
  std::set<arguments> used;
  for (const auto& [where, how] : can.runs) {
    if (!measure_point(of, where, how, to, used)) break;
    for (const std::string& one : how.assumptions)
      if (std::ranges::find(to.assumptions, one) == to.assumptions.end()) to.assumptions.push_back(one);
  }
  if (to.measured.empty()) return to;
  to.level = level_text(of.level, size_);
  to.machine = machines_of(of, to);
  to.command = command_for(of);
  to.tuned = tuned_for(of, to);
  return to;
}

bool paper_runner::failed() const {
  return std::ranges::any_of(ran_, [](const auto& one) { return !one.second.complaint.empty(); });
}

}  // namespace skua::cli
