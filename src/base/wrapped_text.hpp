// Text in the lines of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skua::base {

/// Of a line at most.
inline constexpr std::size_t columns = 100;

/// Columns in a terminal: the further bytes of a UTF-8 character take no room.
std::size_t width(std::string_view text);

/// The text in lines, each indented by `indent` spaces. `mark` stands in the indentation of the first line.
std::string wrapped(std::string_view text, std::size_t indent, std::string_view mark = "");

}  // namespace skua::base
