// Text of at most 100 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skua::reports {

inline constexpr std::size_t columns = 100;

/// The text in lines, each indented by `indent` spaces. `mark` stands in the indentation of the first line.
std::string wrapped(std::string_view text, std::size_t indent, std::string_view mark = "");

/// At most `max` characters; a longer text loses its middle.
std::string shortened(std::string_view text, std::size_t max);

/// Columns as wide as their widest cell, the first left-aligned, the others right-aligned. Lines begin with two spaces. A
/// first column that is too wide for 100 columns is shortened.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace skua::reports
