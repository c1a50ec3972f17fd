// Numbers and texts as pages show them.
#pragma once

#include <string>
#include <string_view>

#include "base/escaped.hpp"

namespace skua::paper {

/// Three digits that count: 0.0123, 1.24, 458000, 1e-06.
std::string short_number(double);
/// "0.82 [0.78, 0.85]".
std::string with_band(double median, double min, double greatest);

/// For the text and the attributes of HTML and SVG.
using base::escaped;
/// For a cell of a table in Markdown.
std::string markdown_cell(std::string_view);
/// For an anchor or a file: "cab-fig8".
std::string slug(std::string_view);

}  // namespace skua::paper
