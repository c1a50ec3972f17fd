# The published figures, published/*.json, and the code that judges and draws them: for the tool and its tests, not for
# users of the library. A target that links it must also provide src/base/json_part.cpp and src/base/nearest_name.cpp,
# which the library hides.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
include(${PROJECT_SOURCE_DIR}/cmake/embed.cmake)

file(GLOB SKUA_PAPER_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/paper/*.cpp)
skua_embed(published paper/known_figures.hpp skua::paper known_figure all_known_figures SKUA_PAPER_SOURCES)
add_library(skua_paper STATIC EXCLUDE_FROM_ALL ${SKUA_PAPER_SOURCES})
target_include_directories(skua_paper PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(skua_paper PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
skua_unity(skua_paper)
target_compile_options(skua_paper PRIVATE ${SKUA_TOOL_OPTIONS})
