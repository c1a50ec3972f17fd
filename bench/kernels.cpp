#include "kernels.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <span>
#include <string_view>

#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"
#include "workloads/kernels/heat.hpp"
#include "workloads/kernels/matmul.hpp"
#include "workloads/kernels/queens.hpp"
#include "workloads/kernels/sort.hpp"

namespace {

static_assert(bench::sort_leaf == workloads::sort_leaf && bench_matmul_leaf_size == workloads::matmul_leaf);

constexpr std::uint64_t input_seed = 42;  // the seed of the published answers

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

template <class T>
std::span<T> span(T* values, std::int64_t n) {
  return {values, size(n)};
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

int bench_compute(int seed) {
  auto value = static_cast<std::uint32_t>(seed);
  for (int i = 0; i < 1000; ++i) value = value * 1664525 + 1013904223;
  return static_cast<int>(value >> 31);
}

const bench_node* bench_tree_build(int depth) {
  bench_node* nodes = new bench_node[(std::size_t{1} << depth) - 1];
  std::int64_t number = 0;
  bench_node* next = nodes;
  return fill(next, depth, number);
}

void bench_tree_free(const bench_node* root) { delete[] root; }

int bench_queen_safe(const char* board, int row, int column) {
  return workloads::queen_safe(board, row, column);
}

std::int64_t bench_queens_solutions(int n) { return workloads::queens_solutions(n); }

void bench_heat_init(double* grid, std::int64_t n) {
  workloads::heat_fill(grid, workloads::heat_sines(workloads::heat_square(size(n), 1)), 0, size(n));
}

void bench_heat_rows(const double* old_grid, double* new_grid, std::int64_t n, std::int64_t first,
                     std::int64_t last) {
  workloads::heat_rows(old_grid, new_grid, size(n), size(first), size(last));
}

int bench_heat_check(const double* grid, std::int64_t n, std::int64_t steps) {
  const workloads::heat_problem done = workloads::heat_square(size(n), static_cast<int>(steps));
  return workloads::heat_error(span(grid, n * n), done) < done.tolerance();
}

void bench_keys_init(std::uint32_t* keys, std::int64_t n) {
  for (std::size_t i = 0; i < size(n); ++i) keys[i] = workloads::sort_key_at(input_seed, i);
}

void bench_sort_leaf(std::uint32_t* keys, std::int64_t n) { workloads::sort_run(span(keys, n)); }

void bench_merge_leaf(const std::uint32_t* a, std::int64_t a_size, const std::uint32_t* b,
                      std::int64_t b_size, std::uint32_t* to) {
  workloads::merge_runs(span(a, a_size), span(b, b_size), to);
}

std::int64_t bench_lower_bound(const std::uint32_t* keys, std::int64_t n, std::uint32_t key) {
  return std::lower_bound(keys, keys + n, key) - keys;
}

int bench_keys_check(const std::uint32_t* keys, std::int64_t n) {
  const std::span sorted = span(keys, n);
  if (!std::ranges::is_sorted(sorted)) return 0;
  if (const std::uint64_t published = workloads::sorted_keys_hash(sorted.size()))
    return workloads::hash_sequence(sorted) == published;
  const auto generated =
      std::views::iota(std::size_t{0}, sorted.size()) |
      std::views::transform([](std::size_t i) { return workloads::sort_key_at(input_seed, i); });
  return workloads::hash_set(sorted) == workloads::hash_set(generated);
}

void bench_matrix_init(double* m, std::int64_t n, int which) {
  for (std::size_t k = 0; k < size(n * n); ++k)
    m[k] = workloads::matrix_entry(input_seed + static_cast<std::uint64_t>(which), k);
}

void bench_matmul_leaf(const double* a, const double* b, double* c, std::int64_t pitch) {
  using workloads::matmul_leaf;
  workloads::matmul_block(a, b, c, matmul_leaf, matmul_leaf, matmul_leaf,
                          {size(pitch), size(pitch), size(pitch)});
}

int bench_matmul_check(const double* a, const double* b, const double* c, std::int64_t n) {
  return workloads::is_product(a, b, c, size(n));
}

std::uint64_t bench_hash_keys(const std::uint32_t* keys, std::int64_t n) {
  return workloads::hash_sequence(span(keys, n));
}

std::uint64_t bench_hash_doubles(const double* values, std::int64_t n) {
  return workloads::hash_sequence(span(values, n));
}

std::int64_t bench_peak_bytes() { return status_bytes("VmHWM"); }
std::int64_t bench_resident_bytes() { return status_bytes("VmRSS"); }
}
