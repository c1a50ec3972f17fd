// JSON of `skua compare`: what its runs print, and comparisons, written and read.
#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <skua/topology.hpp>

#include "base/whole_file.hpp"
#include "cli/compare/compare_plan.hpp"
#include "cli/output.hpp"
#include "paper/policy_comparison.hpp"
#include "report/account.hpp"

namespace skua::cli {

using json = nlohmann::ordered_json;

namespace {

using facts = std::map<std::string, double>;

/// Shares of the time of all workers. Sleep is the rest, since a worker that sleeps to the end never reports it. The thread
/// that entered may add time to that of the workers.
void add_times(const json& simulated, double workers, facts& to) {
  const auto sum_of = [&](std::initializer_list<const char*> names) {
    double sum = 0;
    for (const char* name : names) sum += simulated.at("times").value(name, 0.0);
    return sum;
  };
  const double computing = sum_of({"computing", "forking"}), data = sum_of({"data"}),
               looking = sum_of({"sharing", "spinning", "kernel", "queueing", "handling", "waiting"}),
               cycles = simulated.at("cycles"), all = std::max(cycles * workers, computing + data + looking);
  to["share computing"] = computing / all;
  to["share data"] = data / all;
  to["share looking"] = looking / all;
  to["share asleep"] = (all - computing - data - looking) / all;
  to["cycles"] = cycles;
  to["cycles a ms"] = cycles / (1000 * simulated.at("seconds").get<double>());
}

void add_memory(const json& simulated, facts& to) {
  for (const json& one : simulated.at("caches")) {
    const std::string level = "L" + std::to_string(one.at("level").get<unsigned>());
    to["demand misses " + level] = one.at("demand_misses");
    to["misses " + level] = one.at("demand_misses").get<double>() + one.at("prefetches").get<double>();
  }
  for (const json& one : simulated.at("transfers")) {
    const std::string distance = one.at("distance");
    to["data lines " + distance] = one.at("data");
    to["word lines " + distance] = one.at("words");
    if (distance.find(" hop") != std::string::npos) to["data lines by hops"] += one.at("data").get<double>();
  }
  std::size_t number = 0;
  for (const json& one : simulated.at("nodes")) {
    const std::string node = "node " + std::to_string(number++) + " ";
    for (const char* what : {"bytes_read", "bytes_read_remotely", "bytes_written"}) {
      const double bytes = one.at(what);
      std::string name = what;
      std::ranges::replace(name, '_', ' ');
      to[node + name] = bytes;
      to["memory " + name] += bytes;
    }
  }
}

json json_of(const paper::compared_run& run) {
  json one = {{"seed", run.seed}, {"seconds", run.seconds}};
  one["facts"] = run.facts;
  if (!run.seconds_of_runs.empty()) one["seconds_of_runs"] = run.seconds_of_runs;
  for (const paper::compared_choice& at : run.choices)
    one["choices"].push_back({{"kind", at.kind},
                              {"policy", at.policy},
                              {"stage", at.stage},
                              {"episodes", at.episodes},
                              {"seconds", at.seconds}});
  return one;
}

std::vector<paper::compared_choice> choices_of(const json& run) {
  std::vector<paper::compared_choice> all;
  for (const json& at : run.value("choices", json::array()))
    all.push_back({.kind = at.at("kind"),
                   .policy = at.at("policy"),
                   .stage = at.at("stage"),
                   .episodes = at.at("episodes"),
                   .seconds = at.at("seconds")});
  return all;
}

json json_of(const paper::compared_cell& cell) {
  json one = {{"policy", cell.policy}, {"standing", paper::name_of(cell.judged)}};
  if (!cell.complaint.empty()) one["complaint"] = cell.complaint;
  if (cell.judged != paper::standing::not_run)
    one["relative"] = {
        {"min", cell.relative.min}, {"median", cell.relative.median}, {"max", cell.relative.max}};
  one["runs"] = json::array();
  for (const paper::compared_run& run : cell.runs) one["runs"].push_back(json_of(run));
  return one;
}

paper::compared_cell cell_of(const json& from) {
  paper::compared_cell cell{.policy = from.at("policy"), .complaint = from.value("complaint", "")};
  for (const json& run : from.at("runs"))
    cell.runs.push_back({run.at("seed"), run.at("seconds"), run.at("facts").get<facts>(),
                         run.value("seconds_of_runs", std::vector<double>{}), choices_of(run)});
  return cell;
}

paper::compared_block block_of(const json& from) {
  paper::compared_block block{.machine = from.at("machine"),
                              .size = from.at("size"),
                              .level = from.at("level"),
                              .pages = from.at("pages"),
                              .workers = from.at("workers"),
                              .seeds = from.at("seeds"),
                              .first_seed = from.value("first_seed", std::uint64_t{1}),
                              .repeat = from.value("repeat", std::size_t{1}),
                              .varies_input = from.value("varies_input", false),
                              .is_program = from.value("program", false),
                              .is_measured = from.value("measured", false)};
  for (const json& row : from.at("workloads")) {
    paper::compared_row read{.workload = row.at("workload")};
    for (const json& cell : row.at("policies")) read.cells.push_back(cell_of(cell));
    paper::judge(read);
    block.rows.push_back(std::move(read));
  }
  return block;
}

}  // namespace

namespace {

/// Of a real machine.
void add_times(const worker_times& times, facts& to) {
  const auto all = static_cast<double>(std::max<std::uint64_t>(times.sum(), 1)),
             user = static_cast<double>(times.of(activity::user)),
             asleep = static_cast<double>(times.of(activity::asleep));
  to["share computing"] = user / all;
  to["share looking"] = (all - user - asleep) / all;
  to["share asleep"] = asleep / all;
}

void add_counts(const json& counters, facts& to) {
  for (const char* name : {"attempts", "steals", "sleeps", "forks", "suspensions"})
    to[name] = counters.at(name);
  to["remote steals"] = counters.at("remote_steals");
}

}  // namespace

paper::compared_run compared_run_of(const observe::run_record& record, std::uint64_t seed) {
  const auto workers = static_cast<double>(record.workers.size());
  paper::compared_run one{.seed = seed, .seconds = record.seconds};
  one.facts["workers"] = workers;
  if (record.simulated) {
    json simulated = json::parse(observe::to_json(record)).at("simulated");
    simulated["seconds"] = record.seconds;
    add_times(simulated, workers, one.facts);
    add_memory(simulated, one.facts);
  } else {
    add_times(record.total_times(), one.facts);
    one.facts["share waiting for CPUs"] = reports::account_of(record).waiting_for_cpu;
    if (record.machine.usable_cpus > 0) one.facts["CPUs"] = static_cast<double>(record.machine.usable_cpus);
  }
  const counters total = record.total_counts();
  add_counts({{"attempts", total.attempts},
              {"steals", total.steals},
              {"sleeps", total.sleeps},
              {"forks", total.forks},
              {"suspensions", total.suspensions},
              {"remote_steals", total.remote_steals}},
             one.facts);
  return one;
}

paper::compared_run compared_run_of(const std::string& output, std::uint64_t seed) try {
  const json run = json::parse(output);
  if (!run.at("verified").get<bool>())
    throw std::runtime_error("the answer of " + run.at("name").get<std::string>() +
                             " is wrong: " + run.at("answer").get<std::string>());
  paper::compared_run one{.seed = seed, .seconds = run.at("simulated").at("seconds")};
  one.facts["workers"] = run.at("workers");
  one.choices = choices_of(run);
  if (std::vector<double> each = run.at("seconds_of_runs"); each.size() > 1) {
    // Its times and counts are of one of the runs, or of all: they explain nothing.
    one.seconds = std::accumulate(each.begin(), each.end(), 0.0);
    one.seconds_of_runs = std::move(each);
    return one;
  }
  add_times(run.at("simulated"), run.at("workers"), one.facts);
  add_memory(run.at("simulated"), one.facts);
  add_counts(run.at("counters"), one.facts);
  return one;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("the run did not print a valid report: ") + error.what());
}

void print_json(const std::vector<paper::compared_block>& blocks) {
  json all = json::array();
  for (const paper::compared_block& block : blocks) {
    json rows = json::array();
    for (const paper::compared_row& row : block.rows) {
      json cells = json::array();
      for (const paper::compared_cell& cell : row.cells) cells.push_back(json_of(cell));
      rows.push_back({{"workload", row.workload}, {"policies", std::move(cells)}});
    }
    all.push_back({{"machine", block.machine},
                   {"workers", block.workers},
                   {"size", block.size},
                   {"level", block.level},
                   {"pages", block.pages},
                   {"seeds", block.seeds},
                   {"first_seed", block.first_seed},
                   {"repeat", block.repeat},
                   {"varies_input", block.varies_input},
                   {"program", block.is_program},
                   {"measured", block.is_measured},
                   {"disturbed_runs", paper::disturbed_runs(paper::waits_of(block))},
                   {"command", paper::command_of(block)},
                   {"workloads", std::move(rows)}});
  }
  print_json_text(all, 1);
}

std::vector<paper::compared_block> read_comparison(const std::string& file) {
  const std::string text = base::text_of_file(file, "a file of what skua compare --json printed");
  try {
    std::vector<paper::compared_block> blocks;
    for (const json& block : json::parse(text)) blocks.push_back(block_of(block));
    if (blocks.empty())
      throw bad_input("'" + file +
                      "' contains no comparison; allowed: a file of what skua compare --json printed");
    return blocks;
  } catch (const nlohmann::json::exception&) {
    throw bad_input("'" + file +
                    "' is not a comparison; allowed: a file of what skua compare --json printed");
  }
}

}  // namespace skua::cli
