// The kernels as programs, written once for all C++ runtimes (suite.hpp times and checks them).
//
// A runtime is a class with
//   runtime(int workers)
//   enter(f)                    calls f in a context where tasks may be made
//   join(f, g)                  static, inside enter: returns both results as an aggregate of two
//   both(f, g)                  static, inside enter: the same without results
//   children(n, body)           static, inside enter: body(0) .. body(n - 1) by the runtime's nested parallel loop
//   tasks(n, body)              static, inside enter: the same, one task each, then a wait for all
//   loop(n, body)               outside: body(0) .. body(n - 1) by the runtime's parallel loop
//   reduce(n, map)              outside: the sum of map(i) for i in [0, n)
//   rendezvous(body)            outside: body() twice on two workers, for bodies that wait for each other
//   sweep                       a class; sweep::rows(first, last, grain, body): one of many loops over the same rows,
//                               body(first, last), so that a runtime with affinity can use it
//   group                       a class, inside enter: run(f), which tasks may call too, and wait()
//   local<T>                    a class: here() is the T of this worker, for_each(f) visits all T at the end
// Each is written as a user of that runtime would write it, and inlined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "word_count.hpp"

namespace bench {

inline std::int64_t fib_value(std::int64_t n) {
  std::int64_t a = 0, b = 1;
  while (n-- > 0) b += std::exchange(a, b);
  return a;
}

template <class R>
std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  auto [a, b] = R::join([=] { return fib<R>(n - 1); }, [=] { return fib<R>(n - 2); });
  return a + b;
}

template <class R>
std::int64_t tree_sum(const bench_node* node) {
  if (!node->left) return node->value;
  auto [left, right] =
      R::join([=] { return tree_sum<R>(node->left); }, [=] { return tree_sum<R>(node->right); });
  return node->value + left + right;
}

template <class R>
std::int64_t skynet_loop(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  std::int64_t sums[10];
  R::children(
      10, [&, leaves](std::int64_t i) { sums[i] = skynet_loop<R>(first + i * (leaves / 10), leaves / 10); });
  std::int64_t total = 0;
  for (std::int64_t sum : sums) total += sum;
  return total;
}

template <class R>
std::int64_t skynet_tasks(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  std::int64_t sums[10];
  R::tasks(10, [&sums, first, leaves](std::int64_t i) {
    sums[i] = skynet_tasks<R>(first + i * (leaves / 10), leaves / 10);
  });
  std::int64_t total = 0;
  for (std::int64_t sum : sums) total += sum;
  return total;
}

struct placed {
  char columns[16];
};

/// Counts solutions with the given queens in the rows before `row` and a queen of this row at `column` or after it.
/// Every placed queen is one fork: one side does the rows below it, the other the rest of the row.
template <class R>
std::int64_t queens(const placed& board, int n, int row, int column) {
  while (column < n && !bench_queen_safe(board.columns, row, column)) ++column;
  if (column == n) return 0;
  auto [below, rest] = R::join(
      [&board, n, row, column]() -> std::int64_t {
        if (row + 1 == n) return 1;
        placed next = board;
        next.columns[row] = static_cast<char>(column);
        return queens<R>(next, n, row + 1, 0);
      },
      [&board, n, row, column] { return queens<R>(board, n, row, column + 1); });
  return below + rest;
}

template <class R>
void merge(const std::uint32_t* a, std::int64_t a_size, const std::uint32_t* b, std::int64_t b_size,
           std::uint32_t* to) {
  if (a_size < b_size) {
    std::swap(a, b);
    std::swap(a_size, b_size);
  }
  if (b_size < sort_leaf) return bench_merge_leaf(a, a_size, b, b_size, to);
  const std::int64_t a_half = a_size / 2;
  const std::int64_t b_half = bench_lower_bound(b, b_size, a[a_half]);
  R::both([=] { merge<R>(a, a_half, b, b_half, to); },
          [=] { merge<R>(a + a_half, a_size - a_half, b + b_half, b_size - b_half, to + a_half + b_half); });
}

/// Cilksort: sorts four quarters, merges them in pairs to `other` and back.
template <class R>
void mergesort(std::uint32_t* keys, std::uint32_t* other, std::int64_t n) {
  if (n < sort_leaf) return bench_sort_leaf(keys, n);
  const std::int64_t q = n / 4, last = n - 3 * q;
  R::both(
      [=] {
        R::both([=] { mergesort<R>(keys, other, q); }, [=] { mergesort<R>(keys + q, other + q, q); });
        merge<R>(keys, q, keys + q, q, other);
      },
      [=] {
        R::both([=] { mergesort<R>(keys + 2 * q, other + 2 * q, q); },
                [=] { mergesort<R>(keys + 3 * q, other + 3 * q, last); });
        merge<R>(keys + 2 * q, q, keys + 3 * q, last, other + 2 * q);
      });
  merge<R>(other, 2 * q, other + 2 * q, n - 2 * q, keys);
}

/// C += A B for three blocks of n x n in matrices whose rows are `pitch` apart; n is the leaf's size times 2^k.
template <class R>
void matmul(const double* a, const double* b, double* c, std::int64_t n, std::int64_t pitch) {
  if (n == bench_matmul_leaf_size) return bench_matmul_leaf(a, b, c, pitch);
  const std::int64_t half = n / 2, down = half * pitch;
  auto quadrants = [=](const double* left,
                       const double* right) {  // left column of A's blocks times right row of B's
    R::both(
        [=] {
          R::both([=] { matmul<R>(left, right, c, half, pitch); },
                  [=] { matmul<R>(left, right + half, c + half, half, pitch); });
        },
        [=] {
          R::both([=] { matmul<R>(left + down, right, c + down, half, pitch); },
                  [=] { matmul<R>(left + down, right + half, c + down + half, half, pitch); });
        });
  };
  quadrants(a, b);
  quadrants(a + half, b + down);
}

/// Every directory and every file is a task; a large file is several tasks. Words are counted in private tables.
template <class R>
class word_count {
 public:
  word_counts operator()(R& runtime, const std::vector<std::string>& roots) {
    runtime.enter([&] {
      for (const std::string& root : roots) walk(root);
      tasks_.wait();
    });
    word_counts all;
    counts_.for_each([&](const word_counts& part) { all.merge(part); });
    return all;
  }

 private:
  void walk(const std::filesystem::path& directory) {
    listing found = list_directory(directory);
    for (const std::filesystem::path& inner : found.directories) tasks_.run([this, inner] { walk(inner); });
    for (const std::filesystem::path& file : found.files) tasks_.run([this, file] { count_file(file); });
  }

  void count_file(const std::filesystem::path& file) {
    auto text = std::make_shared<std::string>();
    word_counts& counts = counts_.here();
    if (!read_text(file, *text)) {
      ++counts.unreadable;
      return;
    }
    ++counts.files;
    const std::vector<std::string_view> pieces = cut_text(*text);
    for (std::size_t i = 1; i < pieces.size(); ++i)
      tasks_.run([this, text, piece = pieces[i]] { count_words(piece, counts_.here()); });
    if (!pieces.empty()) count_words(pieces[0], counts_.here());
  }

  typename R::group tasks_;
  typename R::template local<word_counts> counts_;
};

/// The sequential answer.
inline void count_sequentially(const std::filesystem::path& directory, word_counts& counts) {
  const listing found = list_directory(directory);
  std::string text;
  for (const std::filesystem::path& file : found.files) {
    if (!read_text(file, text)) {
      ++counts.unreadable;
      continue;
    }
    ++counts.files;
    count_words(text, counts);
  }
  for (const std::filesystem::path& inner : found.directories) count_sequentially(inner, counts);
}

}  // namespace bench
