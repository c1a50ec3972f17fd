// The sparse matrix of the NAS benchmark CG, its leaf work and its known answers. No scheduling.
//
// The matrix is the sum of a multiple of the unit matrix and n outer products of sparse random vectors with themselves,
// with weights that fall from 1 to 0.1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/common/random.hpp"

namespace workloads {

struct npb_cg_class {
  char name;
  std::size_t n, nonzeros;  // nonzeros of a random vector
  int steps;
  double shift, zeta;
  std::size_t entries;               // entries of the matrix; 0: unknown
  std::array<double, 5> first_ones;  // zeta after the first steps; 0: unknown
};

inline const npb_cg_class& npb_cg_class_of(char name) {
  // clang-format off: a table
  static constexpr npb_cg_class known[] = {
      {'S', 1400, 7, 15, 10, 8.5971775078648, 78148,
       {9.9986441579140, 8.5733279203222, 8.5954510374058, 8.5969972340737, 8.5971549151767}},
      {'W', 7000, 8, 15, 12, 10.362595087124, 508402, {11.999700372738, 10.345727566406, 10.361788013796}},
      {'A', 14000, 11, 15, 20, 17.130235054029, 1853104, {}},
      {'B', 75000, 13, 75, 60, 22.712745482631, 13708072, {}},
      {'C', 150000, 15, 75, 110, 28.973605592845, 0, {}}};
  // clang-format on
  return *std::ranges::find(known, name, &npb_cg_class::name);
}

/// The entries by rows, in ascending order of columns.
struct npb_cg_matrix {
  std::size_t n = 0;
  std::vector<std::size_t> start;  // start of each row, and the end
  std::vector<std::uint32_t> column;
  std::vector<double> value;
};

/// An entry of a sparse vector. `of` is the number of the vector in lists of entries by position.
struct npb_cg_entry {
  std::size_t at, of;
  double value;
};

/// Appends vector `i` of n to `all`: `nonzeros` random entries, and 0.5 at position i.
inline void npb_cg_draw_vector(npb_random& numbers, const npb_cg_class& c, std::size_t i,
                               std::vector<npb_cg_entry>& all) {
  std::size_t power = 2;
  while (power < c.n) power *= 2;
  const std::size_t first = all.size();
  const auto entry_at = [&](std::size_t at) {
    return std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                        [at](const npb_cg_entry& e) { return e.at == at; });
  };
  while (all.size() < first + c.nonzeros) {
    const double value = numbers.next();
    const auto at = static_cast<std::size_t>(static_cast<double>(power) * numbers.next());
    if (at < c.n && entry_at(at) == all.end()) all.push_back({at, i, value});
  }
  if (const auto own = entry_at(i); own != all.end())
    own->value = 0.5;
  else
    all.push_back({i, i, 0.5});
}

/// Sums the products for each row in the order of the vectors, which is part of the definition.
inline npb_cg_matrix npb_cg_matrix_of(const npb_cg_class& c) {
  npb_random numbers(314159265);
  numbers.next();
  std::vector<npb_cg_entry> entries;
  std::vector<std::size_t> first = {0};
  std::vector<double> weight;
  const double ratio = std::pow(0.1, 1.0 / static_cast<double>(c.n));
  for (std::size_t i = 0; i < c.n; ++i) {
    npb_cg_draw_vector(numbers, c, i, entries);
    first.push_back(entries.size());
    weight.push_back(i == 0 ? 1.0 : weight.back() * ratio);
  }
  std::vector<npb_cg_entry> by_position = entries;
  std::ranges::sort(by_position, {}, [](const npb_cg_entry& e) { return std::pair(e.at, e.of); });

  npb_cg_matrix a{c.n, {0}, {}, {}};
  std::vector<double> row(c.n, 0.0);
  std::vector<bool> there(c.n, false);
  std::vector<std::uint32_t> columns;
  auto left = by_position.begin();
  for (std::size_t i = 0; i < c.n; ++i) {
    for (; left != by_position.end() && left->at == i; ++left) {
      const double scale = weight[left->of] * left->value;
      for (std::size_t k = first[left->of]; k < first[left->of + 1]; ++k) {
        const std::size_t j = entries[k].at;
        double product = entries[k].value * scale;
        if (j == i && left->of == i) product = product + 0.1 - c.shift;
        if (!there[j]) columns.push_back(static_cast<std::uint32_t>(j));
        there[j] = true;
        row[j] += product;
      }
    }
    std::ranges::sort(columns);
    for (const std::uint32_t j : columns) {
      a.column.push_back(j);
      a.value.push_back(row[j]);
      row[j] = 0;
      there[j] = false;
    }
    columns.clear();
    a.start.push_back(a.column.size());
  }
  return a;
}

/// Rows [first, last) of y = A x. It uses four sums, since a single sum would be limited by its chain of additions.
inline void npb_cg_multiply(const npb_cg_matrix& a, const double* x, double* y, std::size_t first,
                            std::size_t last) {
  const std::uint32_t* const column = a.column.data();
  const double* const value = a.value.data();
  for (std::size_t i = first; i < last; ++i) {
    double sum[4] = {};
    std::size_t k = a.start[i];
    const std::size_t end = a.start[i + 1];
    for (; k + 4 <= end; k += 4)
      for (std::size_t s = 0; s < 4; ++s) sum[s] += value[k + s] * x[column[k + s]];
    for (; k < end; ++k) sum[0] += value[k] * x[column[k]];
    y[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

/// The sum of `term(i)` for first <= i < last, also with four sums.
template <class Term>
double npb_cg_sum(std::size_t first, std::size_t last, Term term) {
  double sum[4] = {};
  std::size_t i = first;
  for (; i + 4 <= last; i += 4)
    for (std::size_t s = 0; s < 4; ++s) sum[s] += term(i + s);
  for (; i < last; ++i) sum[0] += term(i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace workloads
