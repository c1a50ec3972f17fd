#include <fmt/core.h>

#include <algorithm>

#include "paper/facts.hpp"
#include "paper/figure_charts.hpp"
#include "paper/page.hpp"

namespace skua::paper {

namespace {

/// Columns side by side, each as wide as its widest cell but the last; the first at most 56 letters.
std::string columns_of(const table& of, std::size_t columns) {
  std::vector<std::size_t> widths(columns, 0);
  const auto see = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  see(of.columns);
  for (const auto& row : of.rows) see(row);
  widths[0] = std::min<std::size_t>(widths[0], 56);
  const auto line_of = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i)
      line += fmt::format("  {:<{}}", row[i], i + 1 < columns ? widths[i] : 0);
    return line + "\n";
  };
  std::string text = line_of(of.columns);
  for (const auto& row : of.rows) text += line_of(row);
  return text;
}

}  // namespace

std::string terminal_page(const result& of) {
  std::string text = fmt::format("{}: {}\n{}: {}\n\n", of.what->name(), of.what->title,
                                 marked(of.found.result), of.found.reason);
  for (const auto& [name, words] : facts_of(of)) text += fmt::format("{}: {}\n", name, words);
  for (const table& each : tables_of(of))
    text += "\n" + each.caption + "\n" + columns_of(each, std::min<std::size_t>(4, each.columns.size()));
  for (const list_of_sentences& list : lists_of(of)) {
    text += "\n" + list.title + "\n";
    for (const std::string& sentence : list.sentences) text += "  " + sentence + "\n";
  }
  return text;
}

std::string terminal_list(const std::vector<result>& results) { return columns_of(contents_of(results), 4); }

std::string plot_file(const result& of) {
  return svg_file(of.what->name() + ": " + of.what->title, charts_of(of), published_beside_ours(of));
}

}  // namespace skua::paper
