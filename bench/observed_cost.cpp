// The cost of a report and of a trace. Runs the same joins, loops and group tasks with scheduler_options::keep_report,
// with keep_trace and twice with neither, in turns, on one worker, and measures the CPU time of the process. Prints the
// medians of the ratios minus one, in percent. "noise" is that of the two runs with neither. A page of memory that is used for
// the first time counts as at most half a microsecond (excess_of_new_pages).
//
//   build/release/bench/observed_cost [ROUNDS]     (default: 15)
#include <skua/skua.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "median.hpp"

namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Computes for some time without reading a clock. The additions do not wait for each other, so they share the core with its other
/// hardware thread as the runtime's code does. A chain of additions leaves most of the core to the other thread.
[[gnu::noinline]] void turns(std::uint64_t n) {
  std::uint64_t a = n, b = n, c = n, d = n, e = n;
  for (std::uint64_t i = 0; i < n; ++i) {
    a += i, b += i, c += i, d += i, e += i;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
  }
}

double turns_a_ns() {
  double best = 1e9;
  constexpr std::uint64_t many = 2'000'000;
  for (int i = 0; i < 10; ++i) {
    const double from = cpu_seconds();
    turns(many);
    best = std::min(best, (cpu_seconds() - from) * 1e9);
  }
  return static_cast<double>(many) / best;
}

std::uint64_t leaf_turns = 0;

[[gnu::noinline]] void balanced(int depth) {
  if (depth == 0) return turns(leaf_turns);
  skua::join([=] { balanced(depth - 1); }, [=] { balanced(depth - 1); });
}
/// Like fib: the larger part comes first.
[[gnu::noinline]] void skewed(int n) {
  if (n < 2) return turns(leaf_turns);
  skua::join([=] { skewed(n - 1); }, [=] { skewed(n - 2); });
}
void loop() {
  for (int i = 0; i < 16; ++i) skua::parallel_for(0, 1000, [](int) { turns(leaf_turns); });
}
void group() {
  for (int i = 0; i < 16; ++i) {
    skua::task_group tasks;
    for (int k = 0; k < 1000; ++k) tasks.run([] { turns(leaf_turns); });
    tasks.wait();
  }
}
void group_tree(int depth) {
  if (depth == 0) return turns(leaf_turns);
  skua::task_group tasks;
  tasks.run([=] { group_tree(depth - 1); });
  group_tree(depth - 1);
  tasks.wait();
}

/// The host of a virtual machine may have taken free memory away. The first use of a page then costs tens of
/// microseconds, which says nothing of skua. This gets some back before a measurement; a trace still pays the page faults of this system.
void get_memory_from_host() {
  const std::vector<char> pages(std::size_t{256} << 20, 1);
  asm volatile("" : : "r"(pages.data()) : "memory");
}

/// The pages that this process has used for the first time so far.
long new_pages() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

/// What so many new pages cost now, in CPU seconds, above half a microsecond each. A virtual machine may have to get each page from
/// its host, which takes several microseconds and says nothing of skua. The pages are kept, so that the next ones are as new.
double excess_of_new_pages(long pages) {
  constexpr double usual_s = 500e-9;
  if (pages <= 0) return 0;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                    bytes = static_cast<std::size_t>(pages) * page;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  const double from = cpu_seconds();
  for (std::size_t at = 0; at < bytes; at += page) static_cast<volatile char*>(memory)[at] = 1;
  return std::max(0.0, cpu_seconds() - from - usual_s * static_cast<double>(pages));
}

struct program {
  std::string name;
  double leaf_ns;
  std::function<void()> code;
};

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
  const double rate = turns_a_ns();
  const std::vector<program> programs = {
      {"joins, leaves of 1 us", 1000, [] { balanced(14); }},
      {"joins, leaves of 2 us", 2000, [] { balanced(13); }},
      {"joins like fib, leaves of 1 us", 1000, [] { skewed(20); }},
      {"joins like fib, leaves of 2 us", 2000, [] { skewed(18); }},
      {"loops of 1000 iterations of 1 us", 1000, loop},
      {"loops of 1000 iterations of 10 ns", 10, loop},
      {"groups of 1000 tasks of 1 us", 1000, group},
      {"groups in groups, leaves of 1 us", 1000, [] { group_tree(14); }},
      {"joins, leaves of 10 ns", 10, [] { balanced(18); }},
  };
  skua::scheduler plain({.workers = 1}), again({.workers = 1}), reported({.workers = 1, .keep_report = true});
  for (const program& p : programs) {
    get_memory_from_host();
    // A new scheduler each time, since a full list of events costs less.
    skua::scheduler traced({.workers = 1, .keep_trace = true});
    skua::scheduler* const pools[] = {&plain, &reported, &traced, &again};
    constexpr int turns_of_round = 4;
    leaf_turns = static_cast<std::uint64_t>(p.leaf_ns * rate);
    std::vector<double> report, trace, noise;
    for (int round = -2; round < rounds; ++round) {
      double took[turns_of_round];
      for (int turn = 0; turn < turns_of_round; ++turn) {
        const int which = (turn + round + 2) % turns_of_round;
        const long pages = new_pages();
        const double from = cpu_seconds();
        pools[which]->run(p.code);
        took[which] = cpu_seconds() - from;
        took[which] -= excess_of_new_pages(new_pages() - pages);
      }
      if (round < 0) continue;
      report.push_back(took[1] / took[0]);
      trace.push_back(took[2] / took[0]);
      noise.push_back(took[3] / took[0]);
    }
    const auto percent = [](std::vector<double>& ratios) { return (bench::median(ratios) - 1) * 100; };
    std::printf("%-36s report %+6.2f %%  trace %+6.2f %%  noise %+6.2f %%\n", p.name.c_str(), percent(report),
                percent(trace), percent(noise));
  }
}
