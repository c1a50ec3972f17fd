#include <algorithm>

#include "paper/axis.hpp"
#include "paper/drawing.hpp"
#include "paper/plot.hpp"
#include "paper/words.hpp"

namespace skua::paper {

drawing draw(const forest& of) {
  double min = 0.9, greatest = 1.1;
  for (const forest::row& row : of.rows) {
    min = std::min(min, row.ratio.min);
    greatest = std::max(greatest, row.ratio.greatest);
  }
  const axis x(min, greatest, false);
  const auto at = [&](double ratio) { return 12 + x.at(ratio) * (drawing_width - 24); };
  constexpr double top = 34, row = 34;
  const double end = top + row * static_cast<double>(of.rows.size());
  markup to;
  to.element("text", of.title, {{"class", "heading"}, {"x", "12"}, {"y", "14"}});
  to.leaf("rect", {{"class", "near"},
                   {"x", px(at(0.9))},
                   {"y", px(top - 8)},
                   {"width", px(at(1.1) - at(0.9))},
                   {"height", px(end - top + 8)}});
  for (const double tick : x.ticks()) {
    to.leaf("line", {{"class", "grid"},
                     {"x1", px(at(tick))},
                     {"x2", px(at(tick))},
                     {"y1", px(top - 8)},
                     {"y2", px(end)}});
    to.element("text", short_number(tick),
               {{"x", px(at(tick))}, {"y", px(end + 14)}, {"text-anchor", "middle"}});
  }
  to.leaf("line",
          {{"class", "axis"}, {"x1", px(at(1))}, {"x2", px(at(1))}, {"y1", px(top - 8)}, {"y2", px(end)}});
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const forest::row& one = of.rows[i];
    const double y = top + row * static_cast<double>(i);
    const std::string middle = px(y + 20);
    to.element("text", one.label, {{"x", "12"}, {"y", px(y + 10)}});
    to.leaf("line", {{"class", "whisker"},
                     {"x1", px(at(one.ratio.min))},
                     {"x2", px(at(one.ratio.greatest))},
                     {"y1", middle},
                     {"y2", middle}});
    draw_point(to, at(one.ratio.median), y + 20, 0, one.label + ": " + band_words(one.ratio));
  }
  return {of.title, to.done(), end + 22};
}

}  // namespace skua::paper
