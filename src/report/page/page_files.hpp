// The files that a report's page is made of, as they were when the tool was built: cmake/report.cmake embeds them.
#pragma once

#include <string_view>

namespace skua::reports::page_files {

extern const std::string_view page_html;  // what surrounds the rest, with {{marks}} for it
extern const std::string_view style_css;
extern const std::string_view script_js;  // src/report/page/script/*.js, one after the other
extern const std::string_view echarts_min_js;

}  // namespace skua::reports::page_files
