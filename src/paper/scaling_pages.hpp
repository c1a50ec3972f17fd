// A program on ever more workers, for readers: tables and bars for a terminal, charts as SVG, both on a page in HTML.
#pragma once

#include <string>

#include "paper/scaling.hpp"

namespace skua::paper {

std::string text_of(const scaling& all);
/// Files of their own, without network access.
std::string svg_of(const scaling& all);
std::string html_of(const scaling& all);

}  // namespace skua::paper
