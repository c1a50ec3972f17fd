// Pages of results: in Markdown, in HTML without further files, and as text for a terminal.
//
//   write("fidelity.html", html_page(results, about));
#pragma once

#include <string>
#include <vector>

#include "paper/experiment.hpp"

namespace skua::paper {

/// The head of a page.
struct page_heading {
  std::string title = "Published results compared with skua's simulated machine";
  std::string command;  // writes the page
  std::string introduction;
};

/// With contents and verdicts, charts, and tables of all published numbers and comparisons. It needs no network, follows
/// light and dark mode, and fits on a phone.
std::string html_page(const std::vector<result>&, const page_heading&);

/// The same without charts, or with links to `images`/cab-fig8.svg and so on if `images` is not empty.
std::string markdown_page(const std::vector<result>&, const page_heading&, const std::string& images = {});

/// One figure for a terminal: claim, published numbers, our numbers with their bands, verdict and reason.
std::string terminal_page(const result&);
/// One line per figure: name, verdict, level, title.
std::string terminal_list(const std::vector<result>&);

/// The charts of one figure as a file.
std::string plot_file(const result&);

}  // namespace skua::paper
