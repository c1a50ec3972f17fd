// The cost of the leaves of some workloads, in cycles of one core with all data in cache: leaf_costs [WORD]
//
// The workloads declare these numbers (skua::costs). Each is for the kernel alone, on data that fit the first-level or
// second-level cache, and is the minimum of many short rounds. A chain of additions between the rounds measures the
// length of a cycle. No number is taken from a run of a workload. With WORD it prints only lines that contain WORD.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "workloads/kernels/fft.hpp"
#include "workloads/kernels/floyd_warshall.hpp"
#include "workloads/kernels/gauss.hpp"
#include "workloads/kernels/heat.hpp"
#include "workloads/kernels/matmul.hpp"
#include "workloads/kernels/npb_cg.hpp"
#include "workloads/kernels/queens.hpp"
#include "workloads/kernels/quicksort.hpp"
#include "workloads/kernels/sor.hpp"
#include "workloads/kernels/sort.hpp"
#include "workloads/kernels/strassen.hpp"
#include "workloads/kernels/triad.hpp"

namespace {

using namespace workloads;
using steady = std::chrono::steady_clock;

std::string wanted;

template <class Work>
double nanoseconds(Work&& work) {
  const auto start = steady::now();
  work();
  return std::chrono::duration<double, std::nano>(steady::now() - start).count();
}

/// One addition per cycle.
double cycle_ns() {
  constexpr int additions = 8000;
  const auto chain = [] {
    for (int i = 0, x = 0; i < additions / 8; ++i)
      asm volatile("add $1,%0\nadd $1,%0\nadd $1,%0\nadd $1,%0\nadd $1,%0\nadd $1,%0\nadd $1,%0\nadd $1,%0"
                   : "+r"(x));
  };
  double min = 1e300;
  for (int i = 0; i < 10; ++i) min = std::min(min, nanoseconds(chain));
  return min / additions;
}

/// work() does `count` items; prepare() is not timed.
template <class Prepare, class Work>
void print(const char* what, double count, Prepare&& prepare, Work&& work, int rounds = 300) {
  if (std::string(what).find(wanted) == std::string::npos) return;
  double min = 1e300;
  for (int round = 0; round < rounds; ++round) {
    prepare();
    const double cycle = round % 20 == 0 ? cycle_ns() : 0;
    static double current = 1;
    if (cycle > 0) current = cycle;
    min = std::min(min, nanoseconds(work) / current);
  }
  std::printf("%-48s %8.3f cycles\n", what, min / count);
}

constexpr auto nothing = [] {};

void stencils() {
  constexpr std::size_t columns = 512, rows = 5;  // a power of two, like the plates of the papers
  std::vector<double> from(rows * columns, 1.0), to = from;
  print("heat: per point", (rows - 2) * (columns - 2), nothing,
        [&] { heat_rows(from.data(), to.data(), columns, 1, rows - 1); });
  std::size_t colour = 0;
  double omega = 1.5;
  asm volatile("" : "+r"(colour), "+x"(omega));  // unknown to the compiler, as in the workload
  print("sor: per point of one colour", (rows - 2) * (columns - 2) / 2.0, nothing,
        [&] { sor_rows(from.data(), columns, 1, rows - 1, colour ^= 1, omega); });
}

void dense() {
  constexpr std::size_t n = 64;
  std::vector<double> a = random_matrix(1, n), b = random_matrix(2, n), c(n * n, 0.0);
  print("matmul: per product of a 64 x 64 block", n * n * n, nothing,
        [&] { matmul_block(a.data(), b.data(), c.data(), n, n, n, {n, n, n}); });
  std::vector<double> system(9 * 501, 1.0);
  for (const std::size_t m : {100, 500})
    print(m == 100 ? "gauss: per row of 100 elements" : "gauss: per row of 500 elements", 8, nothing,
          [&] { gauss_rows(system.data(), m, 0, 1, 9); });
  std::vector<std::int32_t> distances(1000 * 9, 5);
  for (const std::size_t m : {100, 1000})
    print(m == 100 ? "floyd_warshall: per row of 100 entries" : "floyd_warshall: per row of 1000 entries", 8,
          nothing, [&] { floyd_warshall_rows(distances.data(), m, 0, 1, 9); });
}

void sorting() {
  constexpr std::size_t leaf = 1024, arrays = 64;
  const std::vector<sort_key> random = sort_keys(7, arrays * leaf);
  std::vector<sort_key> keys;
  const auto fresh = [&] { keys = random; };
  print(
      "mergesort: per key and halving of a sorted leaf",
      static_cast<double>(arrays * leaf) * std::bit_width(leaf), fresh,
      [&] {
        for (std::size_t i = 0; i < arrays; ++i) sort_run(std::span(keys).subspan(i * leaf, leaf));
      },
      60);
  fresh();
  for (std::size_t i = 0; i < arrays; ++i) sort_run(std::span(keys).subspan(i * leaf, leaf));
  std::vector<sort_key> to(keys.size());
  print("mergesort: per key of a merge", arrays * leaf, nothing, [&] {
    for (std::size_t i = 0; i < arrays; i += 2)
      merge_runs(std::span(keys).subspan(i * leaf, leaf), std::span(keys).subspan((i + 1) * leaf, leaf),
                 to.data() + i * leaf);
  });
  print("quicksort: per key of a partition", arrays * leaf, fresh, [&] { quicksort_split(keys); });
}

void transforms() {
  constexpr std::size_t n = 8192;  // second-level cache: rows a power of two apart conflict in the first
  const std::vector<fft_point> from = fft_input(42, n);
  std::vector<fft_point> to(n), roots(n, fft_root(1, 100));
  fft_level level{n, 16, std::vector<fft_point>(512)};
  print("fft: per root", 512, nothing, [&] { level.fill_roots(0, 512); });
  print("fft: per point of base transforms of 32", n, nothing, [&] {
    for (std::size_t i = 0; i < n / 32; ++i) fft_base(from.data() + 32 * i, to.data() + 32 * i, 32);
  });
  for (const std::size_t radix : {8, 16}) {
    const std::size_t part = n / radix;
    print(radix == 8 ? "fft: per point of an unshuffle by 8" : "fft: per point of an unshuffle by 16", n,
          nothing, [&] { fft_unshuffle(from.data(), to.data(), 0, part, radix, part); });
    print(radix == 8 ? "fft: per point of a twiddle by 8" : "fft: per point of a twiddle by 16", n, nothing,
          [&] { fft_twiddle(from.data(), to.data(), roots.data(), 0, part, radix, part); });
  }
}

void sparse() {
  npb_cg_matrix a{.n = 64, .start = {0}, .column = {}, .value = {}};
  for (std::size_t row = 0; row < a.n; ++row) {
    for (std::size_t k = 0; k < 130; ++k) {
      a.column.push_back(static_cast<std::uint32_t>(below_at(3, 200 * row + k, 4000)));
      a.value.push_back(1);
    }
    a.start.push_back(a.column.size());
  }
  std::vector<double> x(4000, 1.0), y(4000, 0.0);
  print("cg: per entry", static_cast<double>(a.column.size()), nothing,
        [&] { npb_cg_multiply(a, x.data(), y.data(), 0, a.n); });
  double alpha = 0.5;
  print("cg: per row of an update", 2000, nothing, [&] {
    asm volatile("" : "+x"(alpha));
    for (std::size_t i = 0; i < 2000; ++i) y[i] = x[i] + alpha * y[i];
  });
  print("cg: per row of a sum", 2000, nothing, [&] {
    const double *u = x.data(), *v = y.data();
    std::size_t rows = 2000;
    asm volatile("" : "+r"(rows));  // if gcc 12 knows the number, it warns about iterations that do not occur
    const double sum = npb_cg_sum(0, rows, [=](std::size_t i) { return u[i] * v[i]; });
    asm volatile("" ::"x"(sum));
  });
}

void others() {
  stream_arrays x = triad_input(1000);
  print("triad: per element", 1000, nothing,
        [&] { stream_run(stream_kernel::triad, 3, x.a.data(), x.b.data(), x.c.data(), 0, 1000); });
  queens_tally seen;
  print("queens: per node with bit masks, n = 8", 2057, nothing,
        [&] { seen = queens_count(queens_bitmask{8}); });
  print("queens: per node with bit masks, n = 11", 166926, nothing,
        [&] { seen = queens_count(queens_bitmask{11}); });
  print("queens: per node with the pairwise test, n = 10", 35539, nothing,
        [&] { seen = queens_count(queens_pairwise{10}); });
}

}  // namespace

int main(int argc, char** argv) {
  wanted = argc > 1 ? argv[1] : "";
  stencils();
  dense();
  sorting();
  transforms();
  sparse();
  others();
}
