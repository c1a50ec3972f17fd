// The drawing core of all SVG charts: axes, lines, bars, points and coloured cells, styles, and files of several drawings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "paper/band.hpp"
#include "paper/markup.hpp"

namespace skua::paper {

/// From 0 or near the minimum to the maximum; logarithmic if all numbers are positive and differ by a factor of fifty.
class axis {
 public:
  /// `whole`: includes 0, as under bars.
  axis(double min, double max, bool whole);

  /// 0 at the beginning, 1 at the end; numbers outside lie at the nearer end.
  double at(double number) const noexcept;
  const std::vector<double>& ticks() const noexcept { return ticks_; }
  bool logarithmic() const noexcept { return logarithmic_; }

 private:
  double scaled(double number) const noexcept;

  bool logarithmic_ = false;
  double begin_ = 0, end_ = 1;
  std::vector<double> ticks_;
};

constexpr double drawing_width = 480;

/// The content of an <svg>.
struct drawing {
  std::string title, content;
  double height, width = drawing_width;
};

/// A length or a position, to a tenth.
std::string px(double);
/// The class of a series: its colour and its pattern of dashes.
std::string style_of(std::size_t series);
void draw_line(markup&, const char* style, double x1, double x2, double y1, double y2);
void draw_text(markup&, const std::string& text, double x, double y, const char* anchor);
void draw_bar(markup&, std::size_t series, double x, double y, double width, double height,
              const std::string& title);
/// A rectangle of that colour with a text in it, black or white; `framed`: with an outline and a bold text.
struct cell_colour {
  std::string fill;
  bool is_light;
};
void draw_cell(markup&, const cell_colour& colour, const std::string& text, double x, double y, double width,
               double height, bool framed);
/// A text that rises to the right from that point.
void draw_rising_text(markup&, const std::string& text, double x, double y);
/// A circle, square, triangle or diamond, by series.
void draw_point(markup&, double x, double y, std::size_t series, const std::string& title);

/// Colours for light and dark pages, and patterns of lines.
const std::string& plot_style();
/// An <svg> element with a viewBox, for a page that contains `plot_style`.
std::string svg_of(const drawing&);
/// A file with the drawings one below the other. If there is none, it says so.
std::string svg_file(const std::string& title, std::vector<drawing> parts);

}  // namespace skua::paper
