#include "paper/markup.hpp"

#include <stdexcept>

#include "base/escaped.hpp"
#include "paper/drawing.hpp"

namespace skua::paper {

void markup::start(std::string_view element, attributes with) {
  written_ += '<';
  written_ += element;
  for (const auto& [name, value] : with) {
    written_ += ' ';
    written_ += name;
    written_ += "=\"" + base::escaped(value) + '"';
  }
}

markup& markup::open(std::string_view element, attributes with) {
  start(element, with);
  written_ += '>';
  open_.emplace_back(element);
  return *this;
}

markup& markup::close() {
  if (open_.empty()) throw std::logic_error("markup: nothing is open");
  written_ += "</" + open_.back() + '>';
  open_.pop_back();
  return *this;
}

markup& markup::leaf(std::string_view element, attributes with) {
  start(element, with);
  written_ += "/>";
  return *this;
}

markup& markup::text(std::string_view content) { return raw(base::escaped(content)); }

markup& markup::element(std::string_view name, std::string_view content, attributes with) {
  return open(name, with).text(content).close();
}

markup& markup::raw(std::string_view content) {
  written_ += content;
  return *this;
}

std::string markup::done() {
  if (!open_.empty()) throw std::logic_error("markup: <" + open_.back() + "> is open");
  return std::move(written_);
}

namespace {

constexpr std::string_view style = R"(:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem;color:#1b1b1b;background:#fff}
a{color:#0059a8}h1{font-size:1.5rem;overflow-wrap:anywhere}h2{margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}h3{font-size:1.05rem}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0;font-size:.9rem}
caption{text-align:left;font-weight:bold;padding:.3rem 0}th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid #ccc}
th[scope=row]{font-weight:normal}dt{font-weight:bold}dd{margin:0 0 .4rem}code{overflow-wrap:anywhere}
.verdict{font-weight:bold;padding:.1rem .5rem;border:2px solid currentColor;border-radius:.4rem;white-space:nowrap}
.charts{display:flex;flex-wrap:wrap;gap:1rem}.charts svg{flex:1 1 20rem;max-width:min(30rem,100%);height:auto}
@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1b}a{color:#7cc4ff}h2,th,td{border-color:#444}}
)";

}  // namespace

void begin_page(markup& page, const std::string& title) {
  page.raw("<!DOCTYPE html>\n").open("html", {{"lang", "en"}}).open("head");
  page.leaf("meta", {{"charset", "utf-8"}})
      .leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.element("title", title).open("style").raw(style).raw(plot_style()).close().close().line();
  page.open("body").open("main").element("h1", title).line();
}

void write(markup& to, const table& of, bool anchors) {
  to.open("div", {{"class", "wide"}, {"role", "region"}, {"aria-label", of.caption}, {"tabindex", "0"}})
      .open("table");
  to.element("caption", of.caption).open("thead").open("tr");
  for (const std::string& column : of.columns) to.element("th", column, {{"scope", "col"}});
  to.close().close().line().open("tbody");
  for (const std::vector<std::string>& row : of.rows) {
    to.open("tr").open("th", {{"scope", "row"}});
    if (anchors) {
      to.element("a", row[0], {{"href", "#" + slug(row[0])}});
    } else {
      to.text(row[0]);
    }
    to.close();
    for (std::size_t i = 1; i < row.size(); ++i) to.element("td", row[i]);
    to.close().line();
  }
  to.close().close().close().line();
}

}  // namespace skua::paper
