// Sparse matrices by rows (CSR), built from entries in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace workloads {

struct sparse_entry {
  std::uint32_t row, column;
  double value;
};

/// Row i has the entries [start[i], start[i + 1]), in ascending order of columns.
struct sparse_matrix {
  std::size_t n = 0;
  std::vector<std::size_t> start = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;

  std::size_t entries() const { return values.size(); }
};

/// Builds a square matrix. Entries at the same position are added.
inline sparse_matrix sparse_from(std::size_t n, std::vector<sparse_entry> entries) {
  std::ranges::sort(entries, {}, [](const sparse_entry& e) { return std::tuple(e.row, e.column, e.value); });
  sparse_matrix made;
  made.n = n;
  made.start.assign(n + 1, 0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const sparse_entry& e = entries[k];
    if (k > 0 && e.row == entries[k - 1].row && e.column == entries[k - 1].column) {
      made.values.back() += e.value;
      continue;
    }
    made.columns.push_back(e.column);
    made.values.push_back(e.value);
    ++made.start[e.row + 1];
  }
  for (std::size_t row = 0; row < n; ++row) made.start[row + 1] += made.start[row];
  return made;
}

/// Builds a symmetric matrix from the entries on and below its diagonal.
inline sparse_matrix sparse_symmetric(std::size_t n, std::vector<sparse_entry> lower) {
  const std::size_t given = lower.size();
  for (std::size_t k = 0; k < given; ++k)
    if (const sparse_entry e = lower[k]; e.row != e.column) lower.push_back({e.column, e.row, e.value});
  return sparse_from(n, std::move(lower));
}

}  // namespace workloads
