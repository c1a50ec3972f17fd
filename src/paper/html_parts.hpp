// Parts of all HTML pages of figures.
//
//   markup page;
//   begin_page(page, "Scaling");
//   write(page, table);
//   page.close().close().close();   // main, body, html
#pragma once

#include <string>

#include "paper/facts.hpp"
#include "paper/markup.hpp"

namespace skua::paper {

/// Writes everything up to the heading. The page follows light and dark mode, fits on a phone and needs no network.
void begin_page(markup& page, const std::string& title);
/// `anchors`: the first cell of a row links to its section.
void write(markup& to, const table& of, bool anchors = false);

}  // namespace skua::paper
