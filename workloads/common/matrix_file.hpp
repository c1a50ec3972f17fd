// Reads symmetric matrices from files, which list the entries on and below the diagonal. There are two formats:
//
//   Matrix Market   "%%MatrixMarket matrix coordinate real symmetric", comments that begin with '%', the line
//                   "ROWS COLUMNS ENTRIES", and ENTRIES lines "ROW COLUMN VALUE", numbered from 1
//   triplets        only lines "ROW COLUMN VALUE", numbered from 0, as in the collection of CSparse
//
// A file that begins with "%%MatrixMarket" has the first format. Blank lines are ignored.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/common/sparse.hpp"
#include "workloads/common/text_file.hpp"

namespace workloads {

namespace detail {

inline constexpr std::size_t matrix_file_max_rows = 10'000'000;

class matrix_file {
 public:
  explicit matrix_file(const std::string& name) : file_(name) {}

  /// Throws skua::bad_input.
  sparse_matrix read() {
    std::string line;
    bool any = file_.next_filled(line);
    const bool market = any && line.starts_with("%%MatrixMarket");
    if (market) {
      expect_header(line);
      do any = file_.next_filled(line);
      while (any && line.starts_with('%'));
      if (!any) file_.refuse_end("a line with the numbers of rows, columns and entries");
      expect_sizes(line);
      any = file_.next_filled(line);
    }
    for (; any; any = file_.next_filled(line)) {
      if (market && entries_.size() == wanted_)
        file_.refuse("no more than " + std::to_string(wanted_) + " entries");
      add_entry(line, market ? 1 : 0);
    }
    if (market && entries_.size() < wanted_)
      file_.refuse_end(std::to_string(wanted_) + " entries, found " + std::to_string(entries_.size()));
    if (n_ == 0) file_.refuse_end("entries of a matrix");
    return sparse_symmetric(n_, std::move(entries_));
  }

 private:
  void expect_header(const std::string& line) const {
    text_words words(line);
    words.next();
    const bool coordinates = words.next() == "matrix" && words.next() == "coordinate";
    const std::string_view field = words.next();
    if (!coordinates || (field != "real" && field != "integer") || words.next() != "symmetric")
      file_.refuse("'%%MatrixMarket matrix coordinate real symmetric'", "'" + line + "'");
  }

  void expect_sizes(const std::string& line) {
    text_words words(line);
    std::size_t columns = 0;
    if (!words.number(n_) || !words.number(columns) || !words.number(wanted_) || !words.at_end())
      file_.refuse("the numbers of rows, columns and entries", "'" + line + "'");
    if (n_ != columns || n_ == 0 || n_ > matrix_file_max_rows)
      file_.refuse("a square matrix of 1 to " + std::to_string(matrix_file_max_rows) + " rows",
                   "'" + line + "'");
  }

  void add_entry(const std::string& line, std::size_t first) {
    text_words words(line);
    std::size_t row = 0, column = 0;
    double value = 0;
    if (!words.number(row) || !words.number(column) || !words.number(value) || !words.at_end() ||
        !std::isfinite(value))
      file_.refuse("a row, a column and a value", "'" + line + "'");
    const std::size_t last = first == 1 ? n_ : matrix_file_max_rows - 1;
    if (row < first || row > last)
      file_.refuse("a row from " + std::to_string(first) + " to " + std::to_string(last),
                   std::to_string(row));
    if (column < first || column > row)
      file_.refuse("a column from " + std::to_string(first) + " to " + std::to_string(row) +
                       ", on or below the diagonal",
                   std::to_string(column));
    if (first == 0) n_ = std::max(n_, row + 1);
    entries_.push_back(
        {static_cast<std::uint32_t>(row - first), static_cast<std::uint32_t>(column - first), value});
  }

  text_file file_;
  std::size_t n_ = 0, wanted_ = 0;
  std::vector<sparse_entry> entries_;
};

}  // namespace detail

inline sparse_matrix read_symmetric_matrix(const std::string& file_name) {
  return detail::matrix_file(file_name).read();
}

}  // namespace workloads
