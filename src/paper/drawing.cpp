#include "paper/drawing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace skua::paper {

namespace {

/// 1, 2 or 5 times a power of ten, so that about five steps fill the range.
double step_for(double range) {
  const double raw = range / 5, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

}  // namespace

axis::axis(double min, double max, bool whole) {
  logarithmic_ = min > 0 && max / min > 50;
  if (logarithmic_) {
    begin_ = std::pow(10, std::floor(std::log10(min)));
    end_ = std::pow(10, std::ceil(std::log10(max)));
    for (double tick = begin_; tick <= end_ * 1.0001; tick *= 10) ticks_.push_back(tick);
    return;
  }
  if (whole || min > 0) min = whole || min < max / 2 ? std::min(min, 0.0) : min;
  if (whole) max = std::max(max, 0.0);
  if (!(max > min)) max = min + 1;
  const double step = step_for(max - min);
  begin_ = std::floor(min / step + 1e-9) * step;
  end_ = std::ceil(max / step - 1e-9) * step;
  const int steps = static_cast<int>(std::lround((end_ - begin_) / step));
  for (int i = 0; i <= steps; ++i) ticks_.push_back(begin_ + i * step);
}

double axis::scaled(double number) const noexcept { return logarithmic_ ? std::log10(number) : number; }

double axis::at(double number) const noexcept {
  if (logarithmic_ && number <= 0) return 0;
  const double begin = scaled(begin_), end = scaled(end_);
  return std::clamp((scaled(number) - begin) / (end - begin), 0.0, 1.0);
}

namespace {

constexpr std::size_t styles = 10;  // of lines, repeated after

struct palette {
  const char *ink, *faint, *near, *series[styles];
};

// The colours of Okabe and Ito, which differ for the colour-blind; lighter ones for dark pages.
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

/// Without CSS custom properties: programs other than browsers do not know them.
std::string coloured(const palette& of) {
  std::string style = fmt::format(
      ".plot text{{fill:{0}}}.plot .grid{{stroke:{1}}}.plot .axis,.plot .whisker,.plot "
      ".published{{stroke:{0}}}.plot .near{{fill:{2}}}",
      of.ink, of.faint, of.near);
  for (std::size_t i = 0; i < styles; ++i)
    style += fmt::format(".plot .s{0}{{fill:{1}}}.plot .s{0}.line{{stroke:{1};fill:none}}", i, of.series[i]);
  return style;
}

/// `y`: the position within a file. `style`: the class of plot_style(); in a file the outermost element has it.
void add(markup& to, const drawing& one, double y, const char* style) {
  to.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"class", style},
                  {"role", "img"},
                  {"aria-label", one.title},
                  {"y", px(y)},
                  {"viewBox", "0 0 " + px(one.width) + " " + px(one.height)},
                  {"width", px(one.width)},
                  {"height", px(one.height)}});
  to.element("title", one.title).raw(one.content).close();
}

}  // namespace

std::string px(double number) { return fmt::format("{:.1f}", number); }

std::string style_of(std::size_t series) { return "s" + std::to_string(series % styles); }

void draw_line(markup& to, const char* style, double x1, double x2, double y1, double y2) {
  to.leaf("line", {{"class", style}, {"x1", px(x1)}, {"x2", px(x2)}, {"y1", px(y1)}, {"y2", px(y2)}});
}

void draw_text(markup& to, const std::string& text, double x, double y, const char* anchor) {
  to.element("text", text, {{"x", px(x)}, {"y", px(y)}, {"text-anchor", anchor}});
}

void draw_bar(markup& to, std::size_t series, double x, double y, double width, double height,
              const std::string& title) {
  to.open("rect", {{"class", "bar " + style_of(series)},
                   {"x", px(x)},
                   {"y", px(y)},
                   {"width", px(width)},
                   {"height", px(height)}});
  to.element("title", title).close();
}

void draw_cell(markup& to, const cell_colour& colour, const std::string& text, double x, double y,
               double width, double height, bool framed) {
  to.leaf("rect", {{"class", framed ? "cell framed" : "cell"},
                   {"x", px(x + 1)},
                   {"y", px(y + 1)},
                   {"width", px(width - 2)},
                   {"height", px(height - 2)},
                   {"fill", colour.fill}});
  to.element("text", text,
             {{"class", std::string(colour.is_light ? "on-light" : "on-dark") + (framed ? " framed" : "")},
              {"x", px(x + width / 2)},
              {"y", px(y + height / 2 + 4)},
              {"text-anchor", "middle"}});
}

void draw_rising_text(markup& to, const std::string& text, double x, double y) {
  to.element("text", text,
             {{"x", px(x)}, {"y", px(y)}, {"transform", "rotate(-30 " + px(x) + " " + px(y) + ")"}});
}

void draw_point(markup& to, double x, double y, std::size_t series, const std::string& title) {
  static constexpr const char* shapes[] = {"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", "M-3 -3h6v6h-6Z",
                                           "M0 -4L4 3H-4Z", "M0 -4.5L4.5 0L0 4.5L-4.5 0Z"};
  to.open("path", {{"class", "point " + style_of(series)},
                   {"d", shapes[series % 4]},
                   {"transform", "translate(" + px(x) + " " + px(y) + ")"}});
  to.element("title", title).close();
}

std::string svg_of(const drawing& one) {
  markup svg;
  add(svg, one, 0, "plot");
  return svg.done();
}

const std::string& plot_style() {
  static const std::string style =
      ".plot text{font:11px sans-serif}.plot "
      ".heading{font-size:13px;font-weight:bold}"
      ".plot .whisker{stroke-width:1.2}.plot .published{stroke-width:2;fill:none}.plot "
      ".band{opacity:.2;stroke:none}"
      ".plot .line{stroke-width:2;fill:none}.plot .s1.line,.plot .s5.line{stroke-dasharray:6 3}"
      ".plot .s2.line,.plot .s6.line{stroke-dasharray:2 2}.plot .s3.line,.plot .s7.line{stroke-dasharray:8 3 "
      "2 3}.plot text.on-light{fill:#000}.plot text.on-dark{fill:#fff}.plot "
      ".cell.framed{stroke:#000;stroke-width:2}"
      ".plot text.framed{font-weight:bold}\n" +
      coloured(light) + "\n@media(prefers-color-scheme:dark){" + coloured(dark) + "}\n";
  return style;
}

std::string svg_file(const std::string& title, std::vector<drawing> parts) {
  if (parts.empty()) {
    markup none;
    none.element("text", title + ": nothing to draw", {{"x", "12"}, {"y", "24"}});
    parts.push_back({title, none.done(), 40});
  }
  markup inside;
  double y = 0, width = 0;
  for (const drawing& part : parts) {
    add(inside, part, y, "part");
    inside.line();
    y += part.height;
    width = std::max(width, part.width);
  }
  markup svg;
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "plot"},
                   {"viewBox", "0 0 " + px(width) + " " + px(y)},
                   {"width", px(width)},
                   {"height", px(y)}});
  svg.element("title", title).open("style").raw(plot_style());
  svg.raw(".plot{background:#fff}@media(prefers-color-scheme:dark){.plot{background:#1b1b1b}}")
      .close()
      .line();
  svg.raw(inside.done()).close();
  return svg.done() + "\n";
}

}  // namespace skua::paper
