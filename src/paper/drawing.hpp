// What charts are drawn with.
#pragma once

#include <string>

#include "paper/markup.hpp"
#include "paper/plot.hpp"

namespace skua::paper {

constexpr double drawing_width = 480;

/// The inside of an <svg> that is `drawing_width` wide.
struct drawing {
  std::string title, content;
  double height;
};

drawing draw(const chart&);
drawing draw(const forest&);

/// A length or a place, to a tenth.
std::string px(double);
/// The class of a series: its colour and how its line is dashed.
std::string style_of(std::size_t series);
std::string band_words(const band&);
/// Circle, square, triangle, diamond, by turns.
void draw_point(markup&, double x, double y, std::size_t series, const std::string& words);

}  // namespace skua::paper
