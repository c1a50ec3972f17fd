#include "paper/figure_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "paper/facts.hpp"
#include "paper/figure_charts.hpp"
#include "paper/html_parts.hpp"
#include "paper/markup.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

namespace {

void write(markup& to, const result& one) {
  to.open("section", {{"id", anchor_of(*one.what)}});
  to.open("h2").text(one.what->name() + ": " + one.what->title).close().line();
  to.open("p")
      .element("span", marked(one.found.result), {{"class", "verdict"}})
      .text(" " + one.found.reason)
      .close()
      .line();
  to.open("dl");
  for (const auto& [name, words] : facts_of(one))
    to.element("dt", name).open("dd").element(name == "command" ? "code" : "span", words).close();
  to.close().line();
  const forest rows = published_beside_ours(one);
  to.open("div", {{"class", "charts"}});
  for (const chart& drawn : charts_of(one)) to.raw(svg_of(draw(drawn))).line();
  if (!rows.rows.empty()) to.raw(svg_of(draw(rows))).line();
  to.close().line();
  for (const table& each : tables_of(one)) write(to, each);
  for (const list_of_sentences& list : lists_of(one)) {
    to.element("h3", list.title).open("ul");
    for (const std::string& sentence : list.sentences) to.element("li", sentence);
    to.close().line();
  }
  to.element("a", "to the contents", {{"href", "#contents"}}).close().line();
}

}  // namespace

std::string html_page(const std::vector<result>& results, const page_heading& heading) {
  markup page;
  begin_page(page, heading.title);
  if (!heading.introduction.empty()) page.element("p", heading.introduction).line();
  page.element("p", tally_of(results) + ".");
  if (!heading.command.empty())
    page.open("p").text("Written by ").element("code", heading.command).text(".").close();
  page.line().open("nav", {{"id", "contents"}, {"aria-label", "Contents"}});
  write(page, contents_of(results), true);
  page.close().line();
  std::string_view paper;
  for (const result& one : results) {
    if (one.what->paper != paper) page.element("p", title_of_paper(paper = one.what->paper)).line();
    write(page, one);
  }
  page.close().close().close();
  return page.done() + "\n";
}

namespace {

/// `anchors`: the first cell of a row links to its heading.
std::string markdown_of(const table& of, bool anchors = false) {
  text_rows rows{of.columns};
  for (const std::vector<std::string>& row : of.rows) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const std::string& cell : row) cells.push_back(markdown_cell(cell));
    if (anchors) cells[0] = "[" + cells[0] + "](#" + slug(row[0]) + ")";
  }
  return (anchors ? "" : "**" + of.caption + "**\n\n") + markdown_table(rows, of.columns.size()) + "\n";
}

std::string markdown_of(const result& one, const std::string& images) {
  const std::string anchor = anchor_of(*one.what);
  std::string text = fmt::format("## {}\n\n**{}**\n\n", one.what->name(), markdown_cell(one.what->title));
  text += fmt::format("**{}**: {}\n\n", name_of(one.found.result), markdown_cell(one.found.reason));
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

namespace {

/// The first `columns` columns.
std::string first_columns(const table& of, std::size_t columns) {
  text_rows rows{of.columns};
  rows.insert(rows.end(), of.rows.begin(), of.rows.end());
  for (std::vector<std::string>& row : rows) row.resize(columns);
  return columns_of(rows, {.texts = columns, .indent = 2});
}

}  // namespace

std::string terminal_page(const result& of) {
  std::string text = fmt::format("{}: {}\n{}: {}\n\n", of.what->name(), of.what->title,
                                 marked(of.found.result), of.found.reason);
  for (const auto& [name, words] : facts_of(of)) text += fmt::format("{}: {}\n", name, words);
  for (const table& each : tables_of(of))
    text += "\n" + each.caption + "\n" + first_columns(each, std::min<std::size_t>(4, each.columns.size()));
  for (const list_of_sentences& list : lists_of(of)) {
    text += "\n" + list.title + "\n";
    for (const std::string& sentence : list.sentences) text += "  " + sentence + "\n";
  }
  return text;
}

std::string terminal_list(const std::vector<result>& results) {
  return first_columns(contents_of(results), 4);
}

std::string plot_file(const result& of) {
  std::vector<drawing> parts;
  for (const chart& one : charts_of(of)) parts.push_back(draw(one));
  if (const forest rows = published_beside_ours(of); !rows.rows.empty()) parts.push_back(draw(rows));
  return svg_file(of.what->name() + ": " + of.what->title, std::move(parts));
}

}  // namespace skua::paper
