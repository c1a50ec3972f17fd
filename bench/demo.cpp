// The program of `make demo`. It prints the machine as a tree, then runs five programs on all its cores: as serial
// code, with OpenMP, with oneTBB and with skua. Each answer is checked against the sequential answer. Every measurement
// runs in its own process, so that the threads of one runtime do not disturb another. There are three rounds in which
// the contenders take turns; it prints medians.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <skua/topology.hpp>
#include <string>
#include <vector>

#include "median.hpp"
#include "peer_process.hpp"

namespace {

constexpr int rounds = 3;

struct work {
  std::string title;
  std::string kernel;
  std::int64_t size;
  int repeat;
  std::vector<std::string> roots = {};
};

struct contender {
  std::string title;
  std::string peer;
};

const std::vector<contender> contenders = {
    {"serial", "serial"}, {"OpenMP", "openmp"}, {"oneTBB", "tbb"}, {"skua", "skua"}};

struct row {
  std::map<std::string, std::vector<double>> seconds;  // indexed by contender
  std::string check;                                   // the answer of the serial program
  std::vector<std::string> complaints;
  std::int64_t steals = 0, remote = 0;
};

std::vector<work> all_work() {
  std::vector<std::string> roots;
  for (const char* root : {"/usr/include", "/usr/share/common-licenses"})
    if (std::filesystem::is_directory(root)) roots.emplace_back(root);
  return {{"word count, all files", "word_count", 0, 1, roots},
          {"heat, 2048 x 2048, 200 steps", "heat", 2048, 1},
          {"mergesort, 10^7 keys", "mergesort", 10'000'000, 1},
          {"matrix multiply, 1024", "matmul", 1024, 3},
          {"12 queens, a task per placement", "queens", 12, 1}};
}

void progress(const std::string& sentence) {
  if (!isatty(STDERR_FILENO)) return;
  fmt::print(stderr, "\r\033[K{}", sentence);
  std::fflush(stderr);
}

void measure(const work& what, const contender& runner, int workers, row& result) {
  const bench::measurement m = bench::run_peer({.peer = "peer_" + std::string(runner.peer),
                                                .kernel = what.kernel,
                                                .workers = runner.peer == "serial" ? 1 : workers,
                                                .repeat = what.repeat,
                                                .size = what.size,
                                                .roots = what.roots,
                                                .expected = what.kernel == "word_count" ? result.check : ""});
  if (runner.peer == "serial" && result.check.empty()) result.check = m.check;
  if (!m.complaint.empty())
    result.complaints.push_back(fmt::format("{}: {} {}", what.title, runner.title, m.complaint));
  else if (!m.verified || m.check != result.check)
    result.complaints.push_back(
        fmt::format("{}: {} found {} instead of {}", what.title, runner.title, m.check, result.check));
  if (m.complaint.empty()) std::ranges::copy(m.seconds, std::back_inserter(result.seconds[runner.peer]));
  if (runner.peer == "skua" && m.steals >= 0) {
    result.steals += m.steals - m.remote_steals;
    result.remote += m.remote_steals;
  }
}

std::string time_of(const row& r, const std::string& peer) {
  const auto found = r.seconds.find(peer);
  return found == r.seconds.end() ? "-" : fmt::format("{:.1f}", 1e3 * bench::median(found->second));
}

std::string ratio(const row& r, const std::string& of, const std::vector<std::string>& to_best_of) {
  double best = 0;
  for (const std::string& peer : to_best_of)
    if (const auto found = r.seconds.find(peer); found != r.seconds.end()) {
      const double seconds = bench::median(found->second);
      best = best == 0 ? seconds : std::min(best, seconds);
    }
  const auto found = r.seconds.find(of);
  if (best == 0 || found == r.seconds.end()) return "-";
  return fmt::format("{:.2f}", bench::median(found->second) / best);
}

void print_table(const std::vector<work>& works, const std::vector<row>& rows) {
  constexpr auto line = "{:<34} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>7} {:>5}  {}\n";
  fmt::print(line, "", "serial", "OpenMP", "oneTBB", "skua", "speedup", "to best", "steals", "", "");
  fmt::print(line, "work", "ms", "ms", "ms", "ms", "x serial", "peer", "near", "far", "verified");
  for (std::size_t i = 0; i < works.size(); ++i) {
    const row& r = rows[i];
    fmt::print(line, works[i].title, time_of(r, "serial"), time_of(r, "openmp"), time_of(r, "tbb"),
               time_of(r, "skua"), ratio(r, "serial", {"skua"}), ratio(r, "skua", {"openmp", "tbb"}),
               r.steals, r.remote, r.complaints.empty() ? "yes" : "NO");
  }
}

}  // namespace

int main() {
  const skua::topology machine = skua::topology::host();
  const skua::placement seats = machine.place(machine.default_workers());
  const int workers = static_cast<int>(seats.workers());
  fmt::print("{}\n", machine.draw(seats));

  for (const contender& runner : contenders)
    if (!bench::peer_exists("peer_" + std::string(runner.peer)))
      fmt::print("{} was not found at build time and is skipped\n", runner.title);
  const std::vector<work> works = all_work();
  std::vector<row> rows(works.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < works.size(); ++i)
      for (const contender& runner : contenders) {
        if (!bench::peer_exists("peer_" + std::string(runner.peer))) continue;
        progress(fmt::format("round {} of {}: {}, {}", round + 1, rounds, works[i].title, runner.title));
        measure(works[i], runner, workers, rows[i]);
      }
  progress("");

  fmt::print(
      "{} workers (serial: 1), medians of {} rounds; steals are the sums of all rounds. To best peer: skua's "
      "time\ndivided by the better time of OpenMP and oneTBB; below 1 means that skua is faster.\n\n",
      workers, rounds);
  print_table(works, rows);
  fmt::print("\nThe word count found {}.\n", rows[0].check);
  bool verified = true;
  for (const row& r : rows)
    for (const std::string& complaint : r.complaints) {
      fmt::print("NOT VERIFIED  {}\n", complaint);
      verified = false;
    }
  return verified ? 0 : 1;
}
