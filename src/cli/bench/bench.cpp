// `skua bench`: compares skua with other runtimes on the same kernels. Each measurement runs in its own process. Each round
// runs all contenders and begins with another one, so that a slow minute affects all of them.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "bench/peer_process.hpp"
#include "cli/bench/bench_contests.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"

namespace skua::cli {
namespace {

struct bench_options {
  std::vector<std::string> kernels, peers;
  std::vector<int> workers;
  int rounds = 0;
  bool json = false;
  bool quick = false;
  bool workloads = false;

  const league& where() const { return workloads ? whole_programs() : cli::kernels(); }
};

struct bench_run {
  bench_options options;
  std::vector<contest> contests;
  std::vector<std::string> peers;
  results all;
  std::set<std::string> complaints;  // one line each
};

/// The variants of skua are last.
std::vector<std::string> all_peers(const league& where) {
  std::vector<std::string> names = where.peers;
  names.insert(names.end(), where.variants.begin(), where.variants.end());
  return names;
}

bool is_skua(const std::string& peer) { return peer.starts_with("skua"); }
bool is_variant(const std::string& peer) { return is_skua(peer) && peer != "skua"; }

void check_names(const char* what, const std::vector<std::string>& given,
                 const std::vector<std::string>& known) {
  const std::vector<std::string_view> allowed(known.begin(), known.end());
  for (const std::string& name : given)
    if (std::ranges::count(known, name) == 0) throw bad_input(no_such(what, name, allowed));
}

void check_names(const bench_options& options) {
  const league& where = options.where();
  std::vector<std::string> names;
  for (const contest& c : where.contests) names.push_back(c.name);
  check_names(options.workloads ? "compared workload" : "kernel", options.kernels, names);
  check_names("contender", options.peers, all_peers(where));
}

bench_run prepare(const bench_options& options) {
  bench_run now{.options = options, .contests = {}, .peers = {}, .all = {}, .complaints = {}};
  check_names(options);
  const league& where = options.where();
  for (const contest& c : where.contests)
    if (options.kernels.empty() || std::ranges::count(options.kernels, c.name) != 0)
      now.contests.push_back(c);
  const std::vector<std::string> every = all_peers(where);
  std::string absent;
  for (const std::string& peer : options.peers.empty() ? every : options.peers)
    if (bench::peer_exists(where.program + peer))
      now.peers.push_back(peer);
    else
      absent += (absent.empty() ? "" : ", ") + peer;
  if (!absent.empty())
    fmt::print(stderr, "skipped, not built in {}: {}\n", bench::peers_folder().string(), absent);
  if (now.peers.empty()) throw bad_input("no contender is built: run `make bench` in skua's source tree");
  if (now.options.workers.empty()) {
    const int cores = static_cast<int>(topology::host().default_workers());
    now.options.workers = {1, 2};
    if (cores > 2) now.options.workers.push_back(cores);
  }
  if (now.options.rounds == 0) now.options.rounds = options.quick ? 1 : 3;
  return now;
}

bool takes_part(const contest& what, const std::string& peer, int workers) {
  if (what.only_skua) return peer == "skua" && workers == 1;
  if (what.threads == 0) return peer == "skua";
  if (workers == 1 ? !what.one_worker && !(what.serial_too && peer == "serial") : peer == "serial")
    return false;
  if (is_variant(peer) && !what.variants) return false;
  if (peer == "serial" && what.threads != 1) return false;
  return what.name != "fib_worker" || is_skua(peer);  // only skua has that form
}

void measure_contender(bench_run& now, const contest& what, const std::string& peer, int workers) {
  const bench::measurement m = bench::run_peer({.peer = now.options.where().program + peer,
                                                .kernel = what.kernel.empty() ? what.name : what.kernel,
                                                .workers = workers,
                                                .repeat = what.repeat,
                                                .size = size_for(what, peer, now.options.quick),
                                                .threads = what.threads});
  if (!m.complaint.empty() || !m.verified) {
    now.complaints.insert(
        fmt::format("{} by {} on {} {}", what.name, peer, base::counted(workers, "worker"),
                    m.complaint.empty() ? "returned the wrong answer " + m.check : m.complaint));
    return;
  }
  samples& here = now.all[{what.name, peer, workers}];
  for (double seconds : m.seconds)
    here.values.push_back(seconds * what.scale / (what.per_unit ? m.units : 1));
  here.peak_bytes = std::max(here.peak_bytes, m.peak_bytes);
}

struct turn {
  const contest* what;
  const std::string* peer;
  int workers, round;
};

std::vector<turn> all_turns(const bench_run& now) {
  std::vector<turn> all;
  for (int round = 0; round < now.options.rounds; ++round)
    for (const contest& what : now.contests)
      for (int workers : now.options.workers)
        for (std::size_t i = 0; i < now.peers.size(); ++i) {
          const std::string& peer = now.peers[(i + static_cast<std::size_t>(round)) % now.peers.size()];
          if (takes_part(what, peer, workers)) all.push_back({&what, &peer, workers, round});
        }
  return all;
}

void run_rounds(bench_run& now) {
  const std::vector<turn> all = all_turns(now);
  progress_line line;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [what, peer, workers, round] = all[i];
    line.show(i, all.size(),
              fmt::format("round {} of {}: {}, {} on {}", round + 1, now.options.rounds, what->name, *peer,
                          base::counted(workers, "worker")));
    measure_contender(now, *what, *peer, workers);
  }
}

std::string ratio_text(const samples& mine, const samples* other) {
  return other ? fmt::format("{:.3f}", mine.median() / other->median()) : "-";
}

constexpr auto row_format = "  {:>7}  {:<12} {:>10} {:>10} {:>10}   {:>9} {:>9} {:>9} {:>9}\n";

void print_title(const bench_run& now, const contest& what) {
  const std::int64_t size = size_for(what, "skua", now.options.quick),
                     slow = size_for(what, "tbb", now.options.quick);
  if (now.options.workloads)
    fmt::print("\n{}, {}, {}\n", what.name, size == 0 ? "ci" : "med", what.unit);
  else
    fmt::print("\n{} ({}), size {}{}, {}\n", what.name, what.title, size,
               slow == size ? "" : fmt::format(" ({} for openmp, libomp and tbb)", slow), what.unit);
}

std::string in_unit(const contest& what, double value) {
  return what.unit == "s" ? fmt::format("{:.4g}", value) : fmt::format("{:.2f}", value);
}

void print_contest(const bench_run& now, const contest& what) {
  print_title(now, what);
  fmt::print(row_format, "workers", "contender", "median", "min", "max", "/serial", "/best", "/rayon",
             "/tbb");
  for (int workers : now.options.workers)
    for (const std::string& peer : all_peers(now.options.where())) {
      const samples* mine = find(now.all, what.name, peer, workers);
      if (!mine) continue;
      const std::string base = what.name == "fib_worker" ? "fib" : what.name;
      fmt::print(row_format, workers, peer, in_unit(what, mine->median()), in_unit(what, mine->min()),
                 in_unit(what, mine->max()), ratio_text(*mine, find(now.all, base, "serial", 1)),
                 is_skua(peer) ? ratio_text(*mine, best_peer(now.all, base, workers)) : "",
                 ratio_text(*mine, find(now.all, base, "rayon", workers)),
                 ratio_text(*mine, find(now.all, base, "tbb", workers)));
    }
  if (const samples* mine = find(now.all, what.name, "skua", 1); mine && what.unit == events_unit)
    fmt::print("  {:.2f} million events a second\n", 1e3 / mine->median());
  if (what.name == "fib_memory")
    for (const std::string& peer : now.peers)
      if (const samples* mine = find(now.all, what.name, peer, 2))
        fmt::print("  peak memory of {}: {:.1f} MB\n", peer, static_cast<double>(mine->peak_bytes) * 1e-6);
}

void print_targets(const bench_run& now) {
  fmt::print("\nTargets{}\n", now.options.quick ? " (defined for full sizes; these are quick sizes)" : "");
  int reached = 0, measured = 0;
  for (const target& goal : now.options.where().targets) {
    const std::optional<double> value = goal.measured(now.all);
    if (!value) continue;
    ++measured;
    reached += met(goal, *value);
    fmt::print("  {:<58} {}\n", goal.what, judge(goal, now.all));
  }
  fmt::print("{} of {} measured targets met\n", reached, measured);
}

void print_json(const bench_run& now) {
  nlohmann::ordered_json document = {{"rounds", now.options.rounds}, {"quick", now.options.quick}};
  for (const auto& [key, mine] : now.all) {
    const auto& [name, peer, workers] = key;
    document["results"].push_back({{"kernel", name},
                                   {"peer", peer},
                                   {"workers", workers},
                                   {"median", mine.median()},
                                   {"samples", mine.values},
                                   {"peak_bytes", mine.peak_bytes}});
  }
  for (const contest& what : now.contests) document["units"][what.name] = what.unit;
  for (const target& goal : now.options.where().targets)
    if (const std::optional<double> value = goal.measured(now.all))
      document["targets"].push_back({{"what", goal.what},
                                     {"at_most", goal.at_most},
                                     {"limit", goal.limit},
                                     {"measured", *value},
                                     {"met", met(goal, *value)}});
  document["complaints"] = now.complaints;
  print_json_text(document);
}

void print_tables(const bench_run& now) {
  for (const contest& what : now.contests) print_contest(now, what);
  print_targets(now);
  for (const std::string& complaint : now.complaints) fmt::print("FAILED: {}\n", complaint);
}

int run_bench(const bench_options& options) {
  bench_run now = prepare(options);
  // Large pages for all contenders: with small pages the times vary by a third with their physical addresses.
  if (options.workloads) setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  run_rounds(now);
  options.json ? print_json(now) : print_tables(now);
  return now.complaints.empty() ? 0 : 1;
}

}  // namespace

void add_bench(command_set& commands) {
  const auto options = std::make_shared<bench_options>();
  command tool =
      commands.add("bench", "Compare skua with other runtimes on the same kernels, and with its targets");
  tool.flag("--workloads", options->workloads, "measure whole programs of the papers instead of kernels");
  tool.option("--kernels", options->kernels,
              "kernels (or workloads) to measure, separated by commas (default: all)")
      .separated_by_commas();
  tool.option("--peers", options->peers, "contenders, separated by commas (default: all that are built)")
      .separated_by_commas();
  tool.option("--workers", options->workers,
              "numbers of workers, separated by commas (default: 1, 2 and all cores)")
      .separated_by_commas()
      .check(whole_number(1, max_workers));
  tool.option("--rounds", options->rounds,
              "number of rounds; each runs all contenders (default: 3, or 1 with --quick)")
      .check(whole_number(1, 1000));
  tool.flag("--json", options->json, "print all measurements as JSON");
  tool.flag("--quick", options->quick, "small sizes and one round, which takes less than two minutes");
  tool.footer(
      "Examples:\n"
      "  skua bench --kernels fib,queens --peers serial,rayon,skua --rounds 5\n"
      "  skua bench --workloads --kernels heat,mergesort --json");
  tool.action([options] { return run_bench(*options); });
}

}  // namespace skua::cli
