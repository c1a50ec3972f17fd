#include <string_view>

#include "paper/facts.hpp"
#include "paper/figure_charts.hpp"
#include "paper/html_parts.hpp"
#include "paper/markup.hpp"
#include "paper/page.hpp"
#include "paper/plot.hpp"
#include "paper/words.hpp"

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
  for (const chart& drawn : charts_of(one)) to.raw(svg_of(drawn)).line();
  if (!rows.rows.empty()) to.raw(svg_of(rows)).line();
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

}  // namespace skua::paper
