// The computations of all contenders, without any scheduling. Most are those of workloads/kernels/ under C names.
//
// All contenders link these functions from one static library, the Rust contender too (hence extern "C"), so that
// runtimes are compared and not compilers. Generators and checks are never timed. All functions are thread-safe on
// disjoint data; none throws.
#pragma once

#include <cstdint>

extern "C" {

/// Keeps a CPU busy for this much time on the steady clock.
void bench_spin_us(std::int64_t microseconds);
std::int64_t bench_now_ns();
/// Computes for about a microsecond of CPU time, however long the thread waits for a CPU. Returns 0 or 1.
int bench_compute(int seed);

/// A node of a binary tree. It has both children or none.
struct bench_node {
  std::int64_t value;
  const bench_node* left;
  const bench_node* right;
};
/// A complete tree of 2^depth - 1 nodes with the values 1, 2, 3 ... in pre-order, which is also the order in memory.
const bench_node* bench_tree_build(int depth);
void bench_tree_free(const bench_node* root);

/// Whether a queen may stand in row `row` at `column` when all rows before have a queen. The pairwise test: O(row).
int bench_queen_safe(const char* board, int row, int column);
/// The number of solutions for n queens, 1 <= n <= 16.
std::int64_t bench_queens_solutions(int n);

/// Heat on n x n points, row-major: the eigenmode sin x sin y, whose discrete solution is known exactly.
void bench_heat_init(double* grid, std::int64_t n);
/// One step for the rows [first, last) of the inner part.
void bench_heat_rows(const double* old_grid, double* new_grid, std::int64_t n, std::int64_t first,
                     std::int64_t last);
/// 1 if the error of every point is at most 1e-13 for each step, compared with the exact discrete solution.
int bench_heat_check(const double* grid, std::int64_t n, std::int64_t steps);

/// Random 32-bit keys, always the same for the same n.
void bench_keys_init(std::uint32_t* keys, std::int64_t n);
void bench_sort_leaf(std::uint32_t* keys, std::int64_t n);
/// Merges two sorted runs into `to`.
void bench_merge_leaf(const std::uint32_t* a, std::int64_t a_size, const std::uint32_t* b,
                      std::int64_t b_size, std::uint32_t* to);
/// The number of keys of the sorted run that are less than `key`.
std::int64_t bench_lower_bound(const std::uint32_t* keys, std::int64_t n, std::uint32_t key);
/// 1 if the keys are sorted and a hash matches: for the sizes of the published table the order-sensitive hash, for
/// other sizes the order-free hash of the generated keys.
int bench_keys_check(const std::uint32_t* keys, std::int64_t n);

/// Integers in -8 .. 8 as doubles, so that products are exact in any order of summation. `which` is 0 (A) or 1 (B).
void bench_matrix_init(double* m, std::int64_t n, int which);
enum { bench_matmul_leaf_size = 64 };
/// C += A B for one 64 x 64 block of each; `pitch` is the distance between rows in elements.
void bench_matmul_leaf(const double* a, const double* b, double* c, std::int64_t pitch);
/// 1 if C is A B (Freivalds' test, exact in integers).
int bench_matmul_check(const double* a, const double* b, const double* c, std::int64_t n);

/// Order-sensitive hash of n 32-bit keys, or of n doubles by their bits.
std::uint64_t bench_hash_keys(const std::uint32_t* keys, std::int64_t n);
std::uint64_t bench_hash_doubles(const double* values, std::int64_t n);

/// The peak and the current memory of this process in bytes. These are Linux's VmHWM and VmRSS, which do not include
/// the process that started this one, unlike getrusage's value.
std::int64_t bench_peak_bytes();
std::int64_t bench_resident_bytes();
}

namespace bench {
constexpr std::int64_t sort_leaf = 2048;  // fewer keys are sorted or merged without a further fork
constexpr std::int64_t heat_rows = 32;    // rows of one heat task
}  // namespace bench
