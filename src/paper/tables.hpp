// Tables of text: as columns for a terminal, and in Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skua::paper {

using text_rows = std::vector<std::vector<std::string>>;

struct table {
  std::string caption;
  std::vector<std::string> columns;
  text_rows rows;  // the first cell of each is its heading
};

struct column_layout {
  std::size_t texts = 1;   // the first columns are texts, left-aligned; the others are numbers, right-aligned
  std::size_t indent = 0;  // of each line
  std::size_t first_max = 56;  // width of the first column; longer texts push the others to the right
  std::size_t number_min = 0;  // width of a column of numbers
};
/// Columns as wide as their widest cell, with two spaces between them. The first row contains the headings.
std::string columns_of(const text_rows& rows, const column_layout& layout);

/// The first row contains the headings. Cells are Markdown already.
std::string markdown_table(const text_rows& rows, std::size_t texts);
/// Escapes what would be markup in a cell.
std::string markdown_cell(std::string_view text);
/// For an anchor or a file name: "cab-fig8".
std::string slug(std::string_view text);

}  // namespace skua::paper
