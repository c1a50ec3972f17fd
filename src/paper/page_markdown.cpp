#include <fmt/core.h>

#include "paper/facts.hpp"
#include "paper/figure_charts.hpp"
#include "paper/page.hpp"
#include "paper/words.hpp"

namespace skua::paper {

namespace {

/// `anchors`: the first cell of a row leads to its heading.
std::string markdown_of(const table& of, bool anchors = false) {
  std::string text = anchors ? "" : "**" + of.caption + "**\n\n";
  const auto row_of = [](const std::vector<std::string>& cells) {
    std::string row = "|";
    for (const std::string& cell : cells) row += " " + cell + " |";
    return row + "\n";
  };
  text += row_of(of.columns) + "|";
  for (std::size_t i = 0; i < of.columns.size(); ++i) text += "---|";
  text += "\n";
  for (const std::vector<std::string>& row : of.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(markdown_cell(cell));
    if (anchors) cells[0] = "[" + cells[0] + "](#" + slug(row[0]) + ")";
    text += row_of(cells);
  }
  return text + "\n";
}

std::string markdown_of(const result& one, const std::string& images) {
  const std::string anchor = anchor_of(*one.what);
  std::string text = fmt::format("## {}\n\n**{}**\n\n", one.what->name(), markdown_cell(one.what->title));
  text += fmt::format("**{}**: {}\n\n", words_for(one.found.result), markdown_cell(one.found.reason));
  for (const auto& [name, words] : facts_of(one))
    text += name == "command" ? fmt::format("- {}: `{}`\n", name, words)
                              : fmt::format("- {}: {}\n", name, markdown_cell(words));
  text += "\n";
  if (!images.empty() && !charts_of(one).empty())
    text += fmt::format("![{}]({}/{}.svg)\n\n", markdown_cell(one.what->title), images, anchor);
  for (const table& each : tables_of(one)) text += markdown_of(each);
  for (const list_of_sentences& list : lists_of(one)) {
    text += list.title + ":\n\n";
    for (const std::string& sentence : list.sentences) text += "- " + markdown_cell(sentence) + "\n";
    text += "\n";
  }
  return text;
}

}  // namespace

std::string markdown_page(const std::vector<result>& results, const page_heading& heading,
                          const std::string& images) {
  std::string text = "# " + heading.title + "\n\n";
  if (!heading.introduction.empty()) text += heading.introduction + "\n\n";
  text += tally_of(results) + ".\n\n";
  if (!heading.command.empty()) text += "Written by `" + heading.command + "`.\n\n";
  text += markdown_of(contents_of(results), true);
  for (const result& one : results) text += markdown_of(one, images);
  text.pop_back();  // one line end is enough
  return text;
}

}  // namespace skua::paper
