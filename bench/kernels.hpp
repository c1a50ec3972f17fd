// What every contender computes, without a word about scheduling. Most of it is that of
// workloads/kernels/ under C names.
//
// These functions live in one static library that all contenders link, the Rust one too (hence extern "C"), so
// that a comparison of runtimes is not one of compilers. Generators and checks are never inside a timing.
// All are thread-safe on disjoint data; none throws.
#pragma once

#include <cstdint>

extern "C" {

/// Keeps a CPU busy until so much time has passed on the steady clock.
void bench_spin_us(std::int64_t microseconds);
std::int64_t bench_now_ns();

/// One node of a binary tree; both children or none.
struct bench_node {
  std::int64_t value;
  const bench_node* left;
  const bench_node* right;
};
/// A complete tree of 2^depth - 1 nodes with the values 1, 2, 3 ... in pre-order, which is also its order in memory.
const bench_node* bench_tree_build(int depth);
void bench_tree_free(const bench_node* root);

/// May a queen stand in row `row` at `column`, the rows before it being placed? The pairwise test: O(row).
int bench_queen_safe(const char* board, int row, int column);
/// The number of solutions for n queens, 1 <= n <= 16.
std::int64_t bench_queens_solutions(int n);

/// Heat on n x n points, row-major: the eigenmode sin x sin y, whose discrete solution is known.
void bench_heat_init(double* grid, std::int64_t n);
/// One step for the rows [first, last) of the inner part.
void bench_heat_rows(const double* old_grid, double* new_grid, std::int64_t n, std::int64_t first,
                     std::int64_t last);
/// 1 when every point is within 1e-13 a step of the exact discrete solution.
int bench_heat_check(const double* grid, std::int64_t n, std::int64_t steps);

/// 32-bit keys, the same for the same n.
void bench_keys_init(std::uint32_t* keys, std::int64_t n);
void bench_sort_leaf(std::uint32_t* keys, std::int64_t n);
/// Merges two sorted runs into `to`.
void bench_merge_leaf(const std::uint32_t* a, std::int64_t a_size, const std::uint32_t* b,
                      std::int64_t b_size, std::uint32_t* to);
/// How many keys of the sorted run are less than `key`.
std::int64_t bench_lower_bound(const std::uint32_t* keys, std::int64_t n, std::uint32_t key);
/// 1 when sorted and, for the sizes of the published table, when the order-sensitive hash agrees; for other sizes
/// the order-free hash is compared with that of the generator.
int bench_keys_check(const std::uint32_t* keys, std::int64_t n);

/// Integers in -8 .. 8 as doubles, so that products are exact in any order of summation; which is 0 (A) or 1 (B).
void bench_matrix_init(double* m, std::int64_t n, int which);
enum { bench_matmul_leaf_size = 64 };
/// C += A B for one 64 x 64 block of each; `pitch` is the distance between rows in elements.
void bench_matmul_leaf(const double* a, const double* b, double* c, std::int64_t pitch);
/// 1 when C is A B (Freivalds' test, exact in integers).
int bench_matmul_check(const double* a, const double* b, const double* c, std::int64_t n);

/// Order-sensitive hash of n 32-bit keys, or of n doubles by their bits.
std::uint64_t bench_hash_keys(const std::uint32_t* keys, std::int64_t n);
std::uint64_t bench_hash_doubles(const double* values, std::int64_t n);

/// The most memory this process has held, and what it holds now, in bytes (Linux's VmHWM and VmRSS: unlike
/// getrusage's figure they do not remember the process that started this one).
std::int64_t bench_peak_bytes();
std::int64_t bench_resident_bytes();
}

namespace bench {
constexpr std::int64_t sort_leaf = 2048;  // keys sorted or merged without a further fork
constexpr std::int64_t heat_rows = 32;    // rows of one heat task
}  // namespace bench
