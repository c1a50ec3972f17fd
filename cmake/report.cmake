# Reads the record of a run (src/observe/run_record.hpp) and finds what limits it: for the tool and its tests, not for
# users of the library. A target that links it must also provide what the library hides: src/observe/run_record.cpp and
# distribution.cpp.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
include(${PROJECT_SOURCE_DIR}/cmake/embed.cmake)

file(GLOB_RECURSE SKUA_REPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/report/*.cpp)
set(page ${PROJECT_SOURCE_DIR}/src/report/page)
set(SKUA_PAGE_SCRIPTS words charts headline breakdown curve matrix timeline distributions tables start)
list(TRANSFORM SKUA_PAGE_SCRIPTS REPLACE "(.+)" "${page}/script/\\1.js")
skua_embed_text(report/page/page.hpp skua::reports::page_files SKUA_REPORT_SOURCES
  TEXT page_html ${page}/page.html
  TEXT style_css ${page}/style.css
  TEXT script_js ${SKUA_PAGE_SCRIPTS}
  TEXT echarts_min_js ${PROJECT_SOURCE_DIR}/third_party/echarts/echarts.min.js)
add_library(skua_report STATIC EXCLUDE_FROM_ALL ${SKUA_REPORT_SOURCES})
target_include_directories(skua_report PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(skua_report PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
skua_unity(skua_report)
target_compile_options(skua_report PRIVATE ${SKUA_TOOL_OPTIONS})
