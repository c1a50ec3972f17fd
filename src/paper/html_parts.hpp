// What every page in HTML is made of.
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

/// To the heading. Light and dark, as narrow as a telephone, nothing from the network.
void begin_page(markup& page, const std::string& title);
/// `anchors`: the first cell of a row leads to its place on the page.
void write(markup& to, const table& of, bool anchors = false);

}  // namespace skua::paper
