// The files of a report's page, which cmake/report.cmake embeds in the tool.
#pragma once

#include <string_view>

namespace skua::reports::page_files {

extern const std::string_view page_html;  // the frame, with {{marks}} for the rest
extern const std::string_view style_css;
extern const std::string_view script_js;  // src/report/page/script/*.js, concatenated
extern const std::string_view echarts_min_js;

}  // namespace skua::reports::page_files
