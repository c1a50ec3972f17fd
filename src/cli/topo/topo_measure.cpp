// `skua topo --measure`.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/number_text.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/topo/measure_distances.hpp"
#include "topology/measured_distances.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t max_columns = 32;
constexpr double disturbed =
    1.5;  // the other threads disturbed a pair with a median this many times its minimum

std::size_t disturbed_pairs(const distances_found& found) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < found.min.size(); ++i)
    pairs += found.median.nanoseconds[i] > disturbed * found.min[i];
  return pairs / 2;
}

/// Called before the measurement, which may take minutes.
void check_output(const std::string& path) {
  if (path.empty()) return;
  std::error_code failure;
  const bool was_there = std::filesystem::exists(path, failure);
  errno = 0;
  const bool can_be_written = std::ofstream(path, std::ios::app).good();
  const int why = errno;
  if (can_be_written && !was_there) std::filesystem::remove(path, failure);
  if (!can_be_written)
    throw bad_input(
        fmt::format("--output '{}' cannot be written: {}; allowed: a file in a folder that exists",
                    path.substr(0, 200), std::generic_category().message(why)));
}

void write(const std::string& path, const detail::measured_distances& measured) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::trunc);
  file << detail::file_text(measured);
  if (!file.flush()) throw std::runtime_error(fmt::format("'{}' could not be written", path));
}

nlohmann::ordered_json rows(const std::vector<double>& matrix, std::size_t cores) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t from = 0; from < cores; ++from) {
    const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(from * cores);
    all.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(cores)));
  }
  return all;
}

void print_json(const distances_found& found, const std::vector<std::string>& sentences) {
  const std::size_t count = found.median.cores.size();
  nlohmann::ordered_json cores = nlohmann::ordered_json::array();
  for (std::size_t core = 0; core < count; ++core)
    cores.push_back({{"core", core},
                     {"package", found.median.cores[core].package},
                     {"cpus", found.median.cores[core].cpus}});
  const nlohmann::ordered_json out = {{"version", 1},
                                      {"processor", found.median.processor},
                                      {"cores", std::move(cores)},
                                      {"nanoseconds", rows(found.median.nanoseconds, count)},
                                      {"min_nanoseconds", rows(found.min, count)},
                                      {"disturbed_pairs", disturbed_pairs(found)},
                                      {"disagreements", sentences}};
  print_json_text(out);
}

void print_matrix(const detail::measured_distances& measured) {
  const std::size_t cores = measured.cores.size();
  fmt::print("nanoseconds to pass a cache line between two cores, medians\n    ");
  for (std::size_t core = 0; core < cores; ++core) fmt::print(" {:>5}", core);
  for (std::size_t from = 0; from < cores; ++from) {
    fmt::print("\n{:>4}", from);
    for (std::size_t to = 0; to < cores; ++to)
      fmt::print(" {:>5}", from == to ? "-" : fmt::format("{:.3g}", measured.between(from, to)));
  }
  fmt::print("\n");
}

void print_groups(const detail::measured_distances& measured) {
  std::vector<double> latencies;
  for (std::size_t a = 0; a < measured.cores.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) latencies.push_back(measured.between(a, b));
  for (const detail::latency_group& group : detail::latency_groups(std::move(latencies)))
    fmt::print("{} at {:.3g} ns ({:.3g} to {:.3g})\n", base::counted(group.count, "pair"), group.middle,
               group.min, group.max);
}

void print_text(const distances_found& found, const std::vector<std::string>& sentences) {
  if (found.median.cores.size() <= max_columns) print_matrix(found.median);
  print_groups(found.median);
  for (const std::string& sentence : sentences) fmt::print("{}.\n", sentence);
  if (sentences.empty()) fmt::print("The measured distances agree with hwloc.\n");
  if (const std::size_t pairs = disturbed_pairs(found); pairs > 0)
    fmt::print("{} had a median of more than {} times the minimum: measure again on a quieter machine.\n",
               base::counted(pairs, "pair"), disturbed);
}

}  // namespace

void show_measured(const topology& machine, const measure_request& request) {
  if (!machine.is_host())
    throw bad_input(fmt::format(
        "--measure is not possible for the machine '{}'; allowed: host, since it runs on real cores",
        machine.source().substr(0, 200)));
  check_output(request.output);
  progress_line line;
  const distances_found found =
      measure_distances(machine, [&](double done) { line.show(done, "measuring"); });
  line.clear();
  write(request.output, found.median);
  (request.json ? print_json : print_text)(found, detail::disagreements(machine, found.median));
  if (!request.output.empty() && !request.json)
    fmt::print("Written to {}; use it with --distances, SKUA_DISTANCES or scheduler_options::distances.\n",
               request.output);
}

}  // namespace skua::cli
