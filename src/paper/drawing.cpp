#include "paper/drawing.hpp"

#include <fmt/core.h>

#include "paper/words.hpp"

namespace skua::paper {

namespace {

constexpr std::size_t styles = 10;  // of lines, repeated after

struct palette {
  const char *ink, *faint, *near, *series[styles];
};

// Okabe and Ito's colours, which the colour-blind can tell apart; lighter ones for dark pages.
constexpr palette light{"#1b1b1b",
                        "#d5d5d5",
                        "#dcebdc",
                        {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#e69f00", "#666",
                         "#7b3294", "#b3b3b3"}};
constexpr palette dark{"#eee",
                       "#444",
                       "#1f3a24",
                       {"#56b4e9", "#ff9e57", "#3fd0a5", "#e8a5c8", "#f0e442", "#9bd3f5", "#ffc352", "#aaa",
                        "#c79bdc", "#5f5f5f"}};

/// Without custom properties, which programs that draw SVG outside a browser do not know.
std::string coloured(const palette& of) {
  std::string style = fmt::format(
      ".plot text{{fill:{0}}}.plot .grid{{stroke:{1}}}.plot .axis,.plot .whisker,.plot "
      ".published{{stroke:{0}}}.plot .near{{fill:{2}}}",
      of.ink, of.faint, of.near);
  for (std::size_t i = 0; i < styles; ++i)
    style += fmt::format(".plot .s{0}{{fill:{1}}}.plot .s{0}.line{{stroke:{1};fill:none}}", i, of.series[i]);
  return style;
}

/// With its place from the top where there are several in a file.
/// `style`: the class that plot_style() speaks of; inside a file the outermost element has it.
void add(markup& to, const drawing& one, double y, const char* style) {
  to.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"class", style},
                  {"role", "img"},
                  {"aria-label", one.title},
                  {"y", px(y)},
                  {"viewBox", "0 0 " + px(drawing_width) + " " + px(one.height)},
                  {"width", px(drawing_width)},
                  {"height", px(one.height)}});
  to.element("title", one.title).raw(one.content).close();
}

std::string alone(const drawing& one) {
  markup svg;
  add(svg, one, 0, "plot");
  return svg.done();
}

}  // namespace

std::string px(double number) { return fmt::format("{:.1f}", number); }

std::string style_of(std::size_t series) { return "s" + std::to_string(series % styles); }

std::string band_words(const band& one) { return with_band(one.median, one.min, one.greatest); }

void draw_point(markup& to, double x, double y, std::size_t series, const std::string& words) {
  static constexpr const char* shapes[] = {"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", "M-3 -3h6v6h-6Z",
                                           "M0 -4L4 3H-4Z", "M0 -4.5L4.5 0L0 4.5L-4.5 0Z"};
  to.open("path", {{"class", "point " + style_of(series)},
                   {"d", shapes[series % 4]},
                   {"transform", "translate(" + px(x) + " " + px(y) + ")"}});
  to.element("title", words).close();
}

std::string svg_of(const chart& of) { return alone(draw(of)); }
std::string svg_of(const forest& of) { return alone(draw(of)); }

const std::string& plot_style() {
  static const std::string style =
      ".plot text{font:11px sans-serif}.plot "
      ".heading{font-size:13px;font-weight:bold}"
      ".plot .whisker{stroke-width:1.2}.plot .published{stroke-width:2;fill:none}.plot "
      ".band{opacity:.2;stroke:none}"
      ".plot .line{stroke-width:2;fill:none}.plot .s1.line,.plot .s5.line{stroke-dasharray:6 3}"
      ".plot .s2.line,.plot .s6.line{stroke-dasharray:2 2}.plot .s3.line,.plot .s7.line{stroke-dasharray:8 3 "
      "2 3}\n" +
      coloured(light) + "\n@media(prefers-color-scheme:dark){" + coloured(dark) + "}\n";
  return style;
}

std::string svg_file(const std::string& title, const std::vector<chart>& charts, const forest& rows) {
  std::vector<drawing> parts;
  for (const chart& one : charts) parts.push_back(draw(one));
  if (!rows.rows.empty()) parts.push_back(draw(rows));
  if (parts.empty()) {
    markup words;
    words.element("text", title + ": nothing to draw", {{"x", "12"}, {"y", "24"}});
    parts.push_back({title, words.done(), 40});
  }
  markup inside;
  double y = 0;
  for (const drawing& part : parts) {
    add(inside, part, y, "part");
    inside.line();
    y += part.height;
  }
  markup svg;
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "plot"},
                   {"viewBox", "0 0 " + px(drawing_width) + " " + px(y)},
                   {"width", px(drawing_width)},
                   {"height", px(y)}});
  svg.element("title", title).open("style").raw(plot_style());
  svg.raw(".plot{background:#fff}@media(prefers-color-scheme:dark){.plot{background:#1b1b1b}}")
      .close()
      .line();
  svg.raw(inside.done()).close();
  return svg.done() + "\n";
}

}  // namespace skua::paper
