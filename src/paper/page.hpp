// Results for readers: a page in Markdown, one in HTML that needs nothing else, and lines for a terminal.
//
//   write("fidelity.html", html_page(results, about));
#pragma once

#include <string>
#include <vector>

#include "paper/experiment.hpp"

namespace skua::paper {

/// What is said of all results together.
struct page_heading {
  std::string title = "What the papers published, and what skua's simulated machine says";
  std::string command;  // that writes the page
  std::string introduction;
};

/// With a list of contents and verdicts, charts, and a table of every published number and comparison. No network, light
/// and dark, as narrow as a telephone.
std::string html_page(const std::vector<result>&, const page_heading&);

/// The same without charts; with them as `images`/cab-fig8.svg where that is not empty.
std::string markdown_page(const std::vector<result>&, const page_heading&, const std::string& images = {});

/// One figure for a terminal: claim, published number, ours with its band, verdict, reason.
std::string terminal_page(const result&);
/// A line for each figure: what the user types, level, verdict, title.
std::string terminal_list(const std::vector<result>&);

/// The charts of one figure as a file.
std::string plot_file(const result&);

}  // namespace skua::paper
