// Writes HTML and SVG. Every element is closed, and every text and attribute is escaped.
//
//   markup page;
//   page.open("p", {{"class", "reason"}}).text("a < b").close();
//   page.leaf("path", {{"d", "M0 0"}});
//   std::string done = page.done();      // <p class="reason">a &lt; b</p><path d="M0 0"/>
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paper/tables.hpp"

namespace skua::paper {

class markup {
 public:
  using attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  markup& open(std::string_view element, attributes = {});
  markup& close();
  /// An element without content: <br/>.
  markup& leaf(std::string_view element, attributes = {});
  markup& text(std::string_view);
  /// open, text, close.
  markup& element(std::string_view name, std::string_view content, attributes = {});
  /// Text that is markup already.
  markup& raw(std::string_view);
  markup& line() { return raw("\n"); }

  /// The whole text. Throws std::logic_error if an element is still open.
  std::string done();

 private:
  void start(std::string_view element, attributes);

  std::string written_;
  std::vector<std::string> open_;
};

// Parts of all HTML pages:
//
//   begin_page(page, "Scaling");
//   write(page, table);
//   page.close().close().close();   // main, body, html

/// Writes everything up to the heading. The page follows light and dark mode, fits on a phone and needs no network.
void begin_page(markup& page, const std::string& title);
/// `anchors`: the first cell of a row links to its section.
void write(markup& to, const table& of, bool anchors = false);

}  // namespace skua::paper
