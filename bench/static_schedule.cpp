// Loops with a static schedule beside skua's parallel_for, on a simulated machine:
//
//   SKUA_SIMULATE=epyc-9654-2s build/release/bench/static_schedule
//
// prints the microseconds that one loop of each program takes with each of the two. SKUA_POLICY chooses skua's policy. `--json`
// prints the same as JSON. docs/modern-machines.md shows the results.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include <skua/skua.hpp>

#include "static_team.hpp"
#include "workloads/kernels/floyd_warshall.hpp"
#include "workloads/kernels/heat.hpp"
#include "workloads/kernels/triad.hpp"

namespace {

// A `loop` calls body(first, last) for parts of a range on several workers: loop(first, last, body). skua remembers each loop
// by the type of its body, so each program has a type of its own.

// Each program runs that number of loops, and returns whether its answer is correct.

template <class Loop>
bool short_loops(std::size_t workers, int loops, Loop& loop) {
  std::vector<int> ran(workers);
  for (int i = 0; i < loops; ++i)
    loop(0, workers, [&](std::size_t first, std::size_t last) {
      skua::costs(10'000.0 * static_cast<double>(last - first));
      for (std::size_t k = first; k < last; ++k) ++ran[k];
    });
  return ran == std::vector<int>(workers, loops);
}

template <class Loop>
bool triad(std::size_t n, int loops, Loop& loop) {
  workloads::stream_arrays x = workloads::triad_input(n);
  for (int sweep = 1; sweep <= loops; ++sweep)
    loop(0, n, [&](std::size_t first, std::size_t last) {
      skua::reads(x.b.data() + first, last - first);
      skua::reads(x.c.data() + first, last - first);
      skua::writes(x.a.data() + first, last - first);
      skua::costs(0.8 * static_cast<double>(last - first));  // as workloads/triad.cpp
      workloads::stream_run(workloads::stream_kernel::triad, workloads::triad_factor(sweep), x.a.data(),
                            x.b.data(), x.c.data(), first, last);
    });
  return workloads::triad_correct(x, loops);
}

template <class Loop>
bool heat(std::size_t n, int loops, Loop& loop) {
  const workloads::heat_problem problem = workloads::heat_square(n, loops);
  std::vector<double> plate = workloads::heat_plate(problem), other = plate;
  for (int step = 0; step < loops; ++step) {
    loop(1, n - 1, [&](std::size_t first, std::size_t last) {
      skua::reads(plate.data() + (first - 1) * n, (last - first + 2) * n);
      skua::writes(other.data() + first * n, (last - first) * n);
      skua::costs(2.1 * static_cast<double>((last - first) * n));  // as workloads/heat.cpp
      workloads::heat_rows(plate.data(), other.data(), n, first, last);
    });
    std::swap(plate, other);
  }
  return workloads::heat_error(plate, problem) < problem.tolerance();
}

/// The first `loops` of the n loops.
template <class Loop>
bool floyd_warshall(std::size_t n, int loops, Loop& loop) {
  std::vector<std::int32_t> distances = workloads::random_graph(42, n), expected = distances;
  for (std::size_t k = 0; k < static_cast<std::size_t>(loops); ++k) {
    loop(0, n, [&](std::size_t first, std::size_t last) {
      skua::reads(distances.data() + k * n, n);
      skua::writes(distances.data() + first * n, (last - first) * n);
      // As workloads/floyd_warshall.cpp.
      skua::costs((18 + 0.143 * static_cast<double>(n)) * static_cast<double>(last - first));
      workloads::floyd_warshall_rows(distances.data(), n, k, first, last);
    });
    workloads::floyd_warshall_rows(expected.data(), n, k, 0, n);
  }
  return distances == expected;
}

double now_us() { return 1e6 * skua::default_scheduler().simulated_so_far().seconds; }

/// Counts the time of the last half of the loops: the first half brings the data into caches and memories.
template <class Loop>
class timed_loops {
 public:
  timed_loops(int all, Loop loop) : all_(all), loop_(std::move(loop)) {}
  template <class Body>
  void operator()(std::size_t first, std::size_t last, const Body& act) {
    if (done_ == all_ / 2) began_ = now_us();
    loop_(first, last, act);
    if (++done_ == all_) took_ = now_us() - began_;
  }
  double us_a_loop() const { return took_ / (all_ - all_ / 2); }

 private:
  int all_, done_ = 0;
  Loop loop_;
  double began_ = 0, took_ = 0;
};

struct row {
  double team_us, skua_us;
  bool correct;
};

/// run(loops, loop) runs a program with such loops and returns whether its answer is correct.
template <class Run>
row measure(int loops, Run run) {
  skua::scheduler& here = skua::default_scheduler();
  row found{0, 0, true};
  bench::static_team team(here.workers());
  here.run([&] {
    team.run([&] {
      timed_loops loop(
          loops, [&](std::size_t first, std::size_t last, const auto& act) { team.loop(first, last, act); });
      found.correct = run(loops, loop);
      found.team_us = loop.us_a_loop();
    });
  });
  here.run([&] {
    timed_loops loop(loops, [](std::size_t first, std::size_t last, const auto& act) {
      skua::parallel_for(skua::blocked(first, last), act);
    });
    found.correct &= run(loops, loop);
    found.skua_us = loop.us_a_loop();
  });
  return found;
}

int compare(bool json) {
  skua::scheduler& here = skua::default_scheduler();
  if (!here.is_simulated()) {
    std::fputs("static_schedule: SKUA_SIMULATE is not set; allowed: a machine of `skua machines`\n", stderr);
    return 2;
  }
  if (!json) std::printf("%-22s %14s %14s  us a loop\n", "", "static team", "parallel_for");
  const std::size_t workers = here.workers();
  bool first = true, correct = true;
  const auto show = [&](const char* name, const row& found) {
    if (json)
      std::printf("%s{\"program\":\"%s\",\"static\":%.2f,\"skua\":%.2f}",
                  std::exchange(first, false) ? "[" : ",\n", name, found.team_us, found.skua_us);
    else
      std::printf("%-22s %14.2f %14.2f\n", name, found.team_us, found.skua_us);
    std::fflush(stdout);
    correct &= found.correct;
  };
  show("short loops", measure(40, [=](int loops, auto& loop) { return short_loops(workers, loops, loop); }));
  show("triad n=524288", measure(60, [](int loops, auto& loop) { return triad(524'288, loops, loop); }));
  show("triad n=8388608", measure(4, [](int loops, auto& loop) { return triad(8'388'608, loops, loop); }));
  show("heat n=1024", measure(60, [](int loops, auto& loop) { return heat(1024, loops, loop); }));
  show("heat n=4096", measure(4, [](int loops, auto& loop) { return heat(4096, loops, loop); }));
  show("floyd_warshall n=768",
       measure(40, [](int loops, auto& loop) { return floyd_warshall(768, loops, loop); }));
  if (json) std::puts("]");
  if (!correct) std::fputs("static_schedule: an answer is wrong\n", stderr);
  return correct ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 1) return compare(false);
  if (argc == 2 && std::string_view(argv[1]) == "--json") return compare(true);
  std::fprintf(stderr, "static_schedule: unknown argument '%s'; allowed: --json\n", argv[argc - 1]);
  return 2;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "static_schedule: %s\n", failed.what());
  return 2;
}
