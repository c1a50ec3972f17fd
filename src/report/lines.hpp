// Text of at most 100 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skua::reports {

inline constexpr std::size_t columns = 100;

/// Words in lines, each of which begins with `indent` spaces; the first one with `mark` within it.
std::string wrapped(std::string_view text, std::size_t indent, std::string_view mark = "");

/// At most so many characters; what is longer loses its middle.
std::string shortened(std::string_view text, std::size_t max);

/// Columns as wide as their widest cell: the first one to the left, the others to the right. Lines begin with two spaces; a
/// first column that is too long for 100 columns is shortened.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace skua::reports
