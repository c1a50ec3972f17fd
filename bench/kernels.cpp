#include "kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

double exact_factor(std::int64_t n, std::int64_t steps) {
  const double half = std::sin(std::numbers::pi / static_cast<double>(n - 1) / 2);
  return std::pow(1 - 8 * 0.2 * half * half, static_cast<double>(steps));
}

std::vector<double> sines(std::int64_t n) {
  std::vector<double> table(static_cast<std::size_t>(n), 0.0);
  const double h = std::numbers::pi / static_cast<double>(n - 1);
  for (std::int64_t i = 1; i + 1 < n; ++i)
    table[static_cast<std::size_t>(i)] = std::sin(h * static_cast<double>(i));
  return table;
}

const bench_node* fill(bench_node*& next, int depth, std::int64_t& number) {
  bench_node* here = next++;
  here->value = ++number;
  here->left = depth > 1 ? fill(next, depth - 1, number) : nullptr;
  here->right = depth > 1 ? fill(next, depth - 1, number) : nullptr;
  return here;
}

std::int64_t status_bytes(const char* field) {
  std::int64_t kilobytes = 0;
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (!file) return 0;
  std::array<char, 256> line;
  const std::string pattern = std::string(field) + ": %ld";
  while (std::fgets(line.data(), line.size(), file))
    if (std::string_view(line.data()).starts_with(field)) {
      kilobytes = std::atol(line.data() + std::strlen(field) + 1);
      break;
    }
  std::fclose(file);
  return kilobytes * 1024;
}

}  // namespace

extern "C" {

std::uint64_t bench_mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t bench_random(std::uint64_t seed, std::uint64_t i) { return bench_mix(seed + (i + 1) * golden); }

std::int64_t bench_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void bench_spin_us(std::int64_t microseconds) {
  const std::int64_t end = bench_now_ns() + microseconds * 1000;
  while (bench_now_ns() < end) {
  }
}

const bench_node* bench_tree_build(int depth) {
  bench_node* nodes = new bench_node[(std::size_t{1} << depth) - 1];
  std::int64_t number = 0;
  bench_node* next = nodes;
  return fill(next, depth, number);
}

void bench_tree_free(const bench_node* root) { delete[] root; }

int bench_queen_safe(const char* board, int row, int column) {
  for (int above = 0; above < row; ++above) {
    const int apart = board[above] - column;
    if (apart == 0 || apart == row - above || apart == above - row) return 0;
  }
  return 1;
}

std::int64_t bench_queens_solutions(int n) {
  constexpr std::int64_t known[] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                    352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  return known[n];
}

void bench_heat_init(double* grid, std::int64_t n) {
  const std::vector<double> sine = sines(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      grid[i * n + j] = sine[static_cast<std::size_t>(i)] * sine[static_cast<std::size_t>(j)];
}

void bench_heat_rows(const double* old_grid, double* new_grid, std::int64_t n, std::int64_t first,
                     std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    const double* here = old_grid + i * n;
    const double* up = here - n;
    const double* down = here + n;
    double* __restrict to = new_grid + i * n;
    for (std::int64_t j = 1; j < n - 1; ++j)
      to[j] = here[j] + 0.2 * (((up[j] + down[j]) + (here[j - 1] + here[j + 1])) - 4 * here[j]);
  }
}

int bench_heat_check(const double* grid, std::int64_t n, std::int64_t steps) {
  const std::vector<double> sine = sines(n);
  const double factor = exact_factor(n, steps);
  double worst = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      worst = std::max(worst, std::abs(grid[i * n + j] - factor * sine[static_cast<std::size_t>(i)] *
                                                             sine[static_cast<std::size_t>(j)]));
  return worst < 1e-13 * static_cast<double>(steps);
}

void bench_keys_init(std::uint32_t* keys, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    keys[i] = static_cast<std::uint32_t>(bench_random(42, static_cast<std::uint64_t>(i)) >> 32);
}

void bench_sort_leaf(std::uint32_t* keys, std::int64_t n) { std::sort(keys, keys + n); }

void bench_merge_leaf(const std::uint32_t* a, std::int64_t a_size, const std::uint32_t* b,
                      std::int64_t b_size, std::uint32_t* to) {
  const std::uint32_t* a_end = a + a_size;
  const std::uint32_t* b_end = b + b_size;
  while (a != a_end && b != b_end) {  // written so that it compiles to conditional moves: keys are random
    const bool second = *b < *a;
    *to++ = second ? *b : *a;
    b += second;
    a += !second;
  }
  to = std::copy(a, a_end, to);
  std::copy(b, b_end, to);
}

std::int64_t bench_lower_bound(const std::uint32_t* keys, std::int64_t n, std::uint32_t key) {
  return std::lower_bound(keys, keys + n, key) - keys;
}

int bench_keys_check(const std::uint32_t* keys, std::int64_t n) {
  if (!std::is_sorted(keys, keys + n)) return 0;
  static const std::map<std::int64_t, std::uint64_t> published = {
      {65536, 0x1d3581ea4dfa79d9},    {100000, 0x74267beed8f63a27},   {1048576, 0x1f0eb73061f77897},
      {10000000, 0xc3e2681d4f7a84f4}, {16777216, 0x4c44a3593490b11b}, {20000000, 0x22dd1f17d70f0115}};
  if (const auto found = published.find(n); found != published.end())
    return bench_hash_keys(keys, n) == found->second;
  std::uint64_t sorted = 0, generated = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    sorted += bench_mix(keys[i]);
    generated += bench_mix(bench_random(42, static_cast<std::uint64_t>(i)) >> 32);
  }
  return sorted == generated;
}

void bench_matrix_init(double* m, std::int64_t n, int which) {
  for (std::int64_t k = 0; k < n * n; ++k) {
    const std::uint64_t r =
        bench_random(42 + static_cast<std::uint64_t>(which), static_cast<std::uint64_t>(k));
    __extension__ using wide = unsigned __int128;
    m[k] = static_cast<double>(static_cast<std::int64_t>((static_cast<wide>(r) * 17) >> 64) - 8);
  }
}

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__AVX2__)
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
void bench_matmul_leaf(const double* a, const double* b, double* c, std::int64_t pitch) {
  constexpr int size = bench_matmul_leaf_size, height = 4, width = 16, lanes = 8;
  using vector [[gnu::vector_size(lanes * sizeof(double))]] = double;
  alignas(64) vector
      packed[size][size / lanes];  // rows of B in place, a power of two apart, would share a few cache sets
  for (int k = 0; k < size; ++k) std::memcpy(packed[k], b + k * pitch, sizeof packed[k]);
  for (int j = 0; j < size; j += width)
    for (int i = 0; i < size; i += height) {
      vector sum[height][width / lanes] = {};
      for (int k = 0; k < size; ++k)
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width / lanes; ++x)
            sum[y][x] += a[(i + y) * pitch + k] * packed[k][j / lanes + x];
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) c[(i + y) * pitch + j + x] += sum[y][x / lanes][x % lanes];
    }
}

int bench_matmul_check(const double* a, const double* b, const double* c, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::vector<double> x(size), bx(size, 0.0);
    for (std::size_t i = 0; i < size; ++i) x[i] = bench_random(seed, i) >> 63 ? 1.0 : -1.0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        bx[static_cast<std::size_t>(i)] += b[i * n + j] * x[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < n; ++i) {
      double abx = 0, cx = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        abx += a[i * n + j] * bx[static_cast<std::size_t>(j)];
        cx += c[i * n + j] * x[static_cast<std::size_t>(j)];
      }
      if (abx != cx) return 0;
    }
  }
  return 1;
}

std::uint64_t bench_hash_keys(const std::uint32_t* keys, std::int64_t n) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    sum += bench_mix(keys[i] + (static_cast<std::uint64_t>(i) + 1) * golden);
  return sum;
}

std::uint64_t bench_hash_doubles(const double* values, std::int64_t n) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    sum += bench_mix(std::bit_cast<std::uint64_t>(values[i]) + (static_cast<std::uint64_t>(i) + 1) * golden);
  return sum;
}

std::int64_t bench_peak_bytes() { return status_bytes("VmHWM"); }
std::int64_t bench_resident_bytes() { return status_bytes("VmRSS"); }
}
