#include "report/page/page.hpp"

#include <utility>

#include "report/page/page_files.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

namespace {

using replacement = std::pair<std::string_view, std::string>;

// Replaces each {{mark}} by its text. Marks within such a text are kept.
std::string filled(std::string_view page, const std::vector<replacement>& marks) {
  std::string text;
  while (!page.empty()) {
    const std::size_t begin = page.find("{{"), end = page.find("}}", begin);
    if (end == std::string_view::npos) break;
    text += page.substr(0, begin);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    for (const auto& [mark, its_text] : marks)
      if (mark == name) text += its_text;
    page.remove_prefix(end + 2);
  }
  return text.append(page);
}

std::string title_of(const std::vector<shown_run>& runs) {
  std::string title;
  for (const shown_run& run : runs) title += (title.empty() ? "" : " and ") + run.record.program;
  if (runs.size() == 2 && runs[0].record.program == runs[1].record.program) title = runs[0].record.program;
  return title;
}

}  // namespace

std::string html_page(const std::vector<shown_run>& runs) {
  return filled(page_files::page_html, {{"title", escaped(title_of(runs))},
                                        {"style", std::string(page_files::style_css)},
                                        {"echarts", std::string(page_files::echarts_min_js)},
                                        {"data", page_data(runs)},
                                        {"script", std::string(page_files::script_js)}});
}

}  // namespace skua::reports
