#include "paper/figure_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "paper/band.hpp"
#include "paper/experiment.hpp"
#include "paper/markup.hpp"
#include "paper/plot.hpp"
#include "paper/reading.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

using base::short_number;

namespace {

struct list_of_sentences {
  std::string title;
  std::vector<std::string> sentences;
};

/// With a sign in front: "= same sign and order".
std::string marked(judgement which) {
  static constexpr const char* shapes[] = {"+", "=", "x", "i", "-"};
  return fmt::format("{} {}", shapes[static_cast<int>(which)], name_of(which));
}

std::string level_words(const result& of) {
  if (!of.came_out.level.empty()) return of.came_out.level;
  switch (of.what->level) {
    case level::exact:
      return "computed exactly";
    case level::host:
      return "measured on a real machine";
    case level::inputs:
      return "inputs of a model";
    default:
      return std::string(name_of(of.what->level));
  }
}

/// From the outcome, or else from the setups.
std::string machine_words(const result& of) {
  if (!of.came_out.machine.empty()) return of.came_out.machine;
  std::set<std::string> machines;
  for (const point& here : of.what->points())
    if (const std::string one = of.what->setup_at(here, size::full).machine; !one.empty())
      machines.insert(one);
  std::string words;
  for (const std::string& one : machines) words += (words.empty() ? "" : ", ") + one;
  return words;
}

table numbers_of(const result& of) {
  table numbers{.caption = "Published numbers",
                .columns = {"what", "published", "ours: median [min, max]", "verdict", "source"},
                .rows = {}};
  for (const value_judgement& one : of.found.values) {
    const bool run = one.result != judgement::not_run;
    numbers.rows.push_back({one.what, one.published,
                            !run                          ? "-"
                            : std::isnan(one.ours.median) ? "not defined"
                                                          : band_text(one.ours),
                            marked(one.result), one.place});
  }
  return numbers;
}

table comparisons_of(const result& of) {
  table claims{.caption = "Comparisons",
               .columns = {"what the paper says", "holds in", "places", "verdict", "source"},
               .rows = {}};
  for (const comparison_judgement& one : of.found.comparisons)
    claims.rows.push_back({one.says, one.run ? fmt::format("{} of {} seeds", one.held, one.seeds) : "-",
                           std::to_string(one.places),
                           !one.run    ? marked(judgement::not_run)
                           : one.holds ? "= holds"
                                       : "x fails",
                           one.place});
  return claims;
}

table inputs_of(const result& of) {
  table inputs{
      .caption = "Inputs of the model (not results)", .columns = {"what", "value", "source"}, .rows = {}};
  for (const input_value& one : of.what->inputs)
    inputs.rows.push_back(
        {one.name, short_number(one.value) + (one.unit.empty() ? "" : " " + one.unit), one.place});
  return inputs;
}

std::vector<std::pair<std::string, std::string>> facts_of(const result& of) {
  std::vector<std::pair<std::string, std::string>> facts{{"source", of.what->place},
                                                         {"the paper's claim", of.what->claim}};
  const auto add = [&](const char* name, const std::string& words) {
    if (!words.empty()) facts.emplace_back(name, words);
  };
  add("machine", machine_words(of));
  add("model", level_words(of));
  if (of.found.seeds) add("seeds", std::to_string(of.found.seeds));
  add("command", of.came_out.command);
  if (of.came_out.seconds > 0)
    add("time of the runs", fmt::format("{} s in total; runs that figures share count for each of them",
                                        short_number(of.came_out.seconds)));
  add("not run", of.came_out.not_run);
  return facts;
}

std::vector<list_of_sentences> lists_of(const result& of) {
  std::vector<list_of_sentences> lists;
  const auto add = [&](const char* title, const std::vector<std::string>& sentences) {
    if (!sentences.empty()) lists.push_back({title, sentences});
  };
  if (of.found.result == judgement::different || of.found.result == judgement::not_run)
    add("Why our result differs, and what was tried", of.what->differs);
  add("Remarks", of.what->remarks);
  add("What the model needs", of.what->needs);
  add("Assumptions", of.came_out.assumptions);
  std::vector<std::string> tuned;
  for (const tuned_constant& one : of.came_out.tuned)
    tuned.push_back(one.name + " = " + one.value + ": " + one.why);
  if (tuned.empty() && !of.came_out.measured.empty()) tuned.emplace_back("none");
  add("Tuned constants", tuned);
  return lists;
}

std::vector<table> tables_of(const result& of) {
  std::vector<table> tables;
  for (table& one : std::vector<table>{numbers_of(of), comparisons_of(of), inputs_of(of)})
    if (!one.rows.empty()) tables.push_back(std::move(one));
  return tables;
}

table contents_of(const std::vector<result>& results) {
  table contents{.caption = "Contents", .columns = {"figure", "verdict", "model", "what"}, .rows = {}};
  for (const result& one : results)
    contents.rows.push_back({one.what->name(), marked(one.found.result), level_words(one), one.what->title});
  return contents;
}

std::string tally_of(const std::vector<result>& results) {
  std::string words;
  for (const judgement which : {judgement::reproduced, judgement::same_sign_and_order, judgement::different,
                                judgement::inputs, judgement::not_run}) {
    const auto count =
        std::ranges::count_if(results, [&](const result& one) { return one.found.result == which; });
    if (count) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, name_of(which));
  }
  return words;
}

std::string anchor_of(const figure& of) { return slug(of.name()); }

/// The quantity that the chart shows at a point.
quantity shown_at(const figure& of, const point& here) {
  quantity what{.constant = {}, .of = {{here.panel}, {here.series}, {here.x}}, .over = {}};
  if (of.shown_as_ratio) what.over = of.shown_over;
  return what;
}

std::optional<band> shown_band(const reading& ours) {
  const auto undefined = [](double one) { return std::isnan(one); };
  if (ours.by_seed.empty() || std::ranges::any_of(ours.by_seed, undefined)) return std::nullopt;
  return band_of(ours.by_seed);
}

/// The published number of exactly the quantity that the chart shows.
std::optional<published_mark> mark_at(const figure& of, const std::vector<point>& shown) {
  const point first{of.panels.front().name, of.series.front().name, of.xs.front().name};
  for (const published_value& value : of.values)
    if (value.what.picked == pick::only && read(value.what, first, of, {}, 0).points == shown)
      return published_mark{value.low, value.high};
  return std::nullopt;
}

bool shows_anything(const chart_series& one) {
  const auto there = [](const auto& number) { return number.has_value(); };
  return std::ranges::any_of(one.ours, there) || std::ranges::any_of(one.published, there);
}

chart_series series_of(const result& of, const entry& panel, const entry& series,
                       const std::vector<entry>& xs) {
  const figure& what = *of.what;
  chart_series drawn{.name = series.title, .ours = {}, .published = {}};
  for (const entry& x : xs) {
    const point here{panel.name, series.name, x.name};
    const reading ours = read(shown_at(what, here), here, what, of.came_out.measured, of.found.seeds);
    drawn.ours.push_back(shown_band(ours));
    drawn.published.push_back(ours.exists ? mark_at(what, ours.points) : std::nullopt);
  }
  return drawn;
}

/// The x positions at which the panel has a point.
std::vector<entry> places_in(const figure& of, const entry& panel) {
  std::vector<entry> places;
  for (const entry& x : of.xs)
    if (std::ranges::any_of(of.series,
                            [&](const entry& one) { return of.has({panel.name, one.name, x.name}); }))
      places.push_back(x);
  return places;
}

// One for each panel, relative to `shown_over` if the figure has it, for each seed.
std::vector<chart> charts_of(const result& of) {
  std::vector<chart> charts;
  for (const entry& panel : of.what->panels) {
    chart drawn{.title = panel.title.empty() ? of.what->title : panel.title,
                .x_title = of.what->x_title,
                .y_title = of.what->y_title,
                .xs = {},
                .lines = of.what->lines,
                .series = {}};
    const std::vector<entry> places = places_in(*of.what, panel);
    for (const entry& x : places) drawn.xs.push_back(x.title);
    for (const entry& series : of.what->series) {
      chart_series one = series_of(of, panel, series, places);
      if (shows_anything(one)) drawn.series.push_back(std::move(one));
    }
    if (!drawn.series.empty()) charts.push_back(std::move(drawn));
  }
  return charts;
}

// Published numbers compared with ours. Without rows if nothing was run, and for exact figures.
forest published_beside_ours(const result& of) {
  forest drawn{.title = "Ours / published (shaded: within 10%)", .rows = {}};
  if (of.what->level == level::exact) return drawn;
  for (const value_judgement& value : of.found.values) {
    const double middle = (value.low + value.high) / 2;
    if (value.result == judgement::not_run || std::isnan(value.ours.median) || middle <= 0) continue;
    drawn.rows.push_back(
        {value.what, {value.ours.min / middle, value.ours.median / middle, value.ours.max / middle}});
  }
  return drawn;
}

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
