// Loops over containers, reductions and scans beside oneTBB's and serial code, in milliseconds, on as many workers as there
// are CPUs. The three run in turn. Ratios are the medians of the rounds' ratios.
//
//   build/release/bench/ranges [ELEMENTS [ROUNDS]]     10^6 elements, 21 rounds
#include <skua/parallel_for.hpp>
#include <skua/parallel_reduce.hpp>
#include <skua/parallel_scan.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include "bench/median.hpp"

namespace {

std::size_t n = 1'000'000;
int rounds = 21;
volatile double kept;  // so that no reduction is left out
bench::counted_targets targets;

template <class F>
double ms_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class Skua, class Tbb, class Serial>
void print_row(const std::string& what, Skua by_skua, Tbb by_tbb, Serial serially) {
  std::vector<double> skua_ms, tbb_ms, serial_ms, to_tbb, to_serial;
  for (int round = 0; round <= rounds; ++round) {  // the first one is not counted
    const double a = ms_of(by_skua), b = ms_of(by_tbb), c = ms_of(serially);
    if (round == 0) continue;
    skua_ms.push_back(a);
    tbb_ms.push_back(b);
    serial_ms.push_back(c);
    to_tbb.push_back(a / b);
    to_serial.push_back(a / c);
  }
  std::printf("%-24s %9.3f %9.3f %9.3f %9.2f %9.2f%s\n", what.c_str(), bench::median(skua_ms),
              bench::median(tbb_ms), bench::median(serial_ms), bench::median(to_tbb),
              bench::median(to_serial), targets.check(bench::median(to_tbb) <= 1));
  std::fflush(stdout);
}

void roots(double& x) {
  for (int i = 0; i < 20; ++i) x = std::sqrt(x + 1);
}

template <class List, class F>
void each(const std::string& what, F f) {
  List list(n, 1.0);
  print_row(
      what, [&] { skua::parallel_for_each(list, f); },
      [&] { tbb::parallel_for_each(list.begin(), list.end(), f); },
      [&] {
        for (double& x : list) f(x);
      });
}

template <class List>
void loops_over(const std::string& list) {
  each<List>(list + ", x + 1", [](double& x) { x += 1; });
  each<List>(list + ", 20 roots", roots);
}

template <class List>
void reduce_and_scan(const std::string& name) {
  const List list(n, 1.0);
  List out(n);
  const std::plus<> plus;
  const auto sum = [](const auto& range, double before) {
    for (const double x : range) before += x;
    return before;
  };
  print_row(
      name + ", sum", [&] { kept = skua::parallel_reduce(list, 0.0, std::identity(), plus); },
      [&] { kept = tbb::parallel_reduce(tbb::blocked_range(list.begin(), list.end()), 0.0, sum, plus); },
      [&] { kept = std::accumulate(list.begin(), list.end(), 0.0); });
  const auto scan = [&](bool inclusive) {
    const auto block = [&, inclusive](const auto& range, double before, bool is_final) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        const double after = before + list[i];
        if (is_final) out[i] = inclusive ? after : before;
        before = after;
      }
      return before;
    };
    tbb::parallel_scan(tbb::blocked_range<std::size_t>(0, n), 0.0, block, plus);
  };
  print_row(
      name + ", inclusive scan",
      [&] { skua::parallel_inclusive_scan(list.begin(), list.end(), out.begin(), 0.0, plus); },
      [&] { scan(true); }, [&] { std::inclusive_scan(list.begin(), list.end(), out.begin()); });
  print_row(
      name + ", exclusive scan",
      [&] { skua::parallel_exclusive_scan(list.begin(), list.end(), out.begin(), 0.0, plus); },
      [&] { scan(false); }, [&] { std::exclusive_scan(list.begin(), list.end(), out.begin(), 0.0); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) n = static_cast<std::size_t>(std::atol(argv[1]));
  if (argc > 2) rounds = std::atoi(argv[2]);
  std::printf("%-24s %9s %9s %9s %9s %9s\n", "what", "skua ms", "oneTBB ms", "serial ms", "/ oneTBB",
              "/ serial");
  loops_over<std::vector<double>>("vector");
  loops_over<std::deque<double>>("deque");
  loops_over<std::list<double>>("list");
  reduce_and_scan<std::vector<double>>("vector");
  reduce_and_scan<std::deque<double>>("deque");
  targets.print();
}
