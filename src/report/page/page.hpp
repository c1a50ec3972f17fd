// A run's record as one HTML page with charts and tables. The page needs no network.
//
//   std::string html = html_page({{"run.json", run}});
//   std::string both = html_page({{"before.json", one}, {"after.json", other}});   // side by side
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/escaped.hpp"
#include "observe/run_record.hpp"

namespace skua::reports {

struct shown_run {
  std::string name;  // the file it was read from
  observe::run_record record;
};

/// Of one run or two.
std::string html_page(const std::vector<shown_run>& runs);

/// The data of the page's scripts, as JSON that may stand within <script>: it contains no '<'.
std::string page_data(const std::vector<shown_run>& runs);

using base::escaped;

/// The files of the page, which cmake/report.cmake embeds in the tool.
namespace page_files {

extern const std::string_view page_html;  // the frame, with {{marks}} for the rest
extern const std::string_view style_css;
extern const std::string_view script_js;  // src/report/page/script/*.js, concatenated
extern const std::string_view echarts_min_js;

}  // namespace page_files

}  // namespace skua::reports
