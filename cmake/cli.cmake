# The command line tool. `skua bench` runs the contenders of bench/ as processes.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

file(GLOB_RECURSE SKUA_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
add_executable(skua_cli ${SKUA_CLI_SOURCES} ${PROJECT_SOURCE_DIR}/bench/peer_process.cpp)
target_include_directories(skua_cli PRIVATE ${PROJECT_SOURCE_DIR}/src)
# Symbols that the shared library hides come from the archive. The archive is last, so that only these come from it.
target_link_libraries(skua_cli PRIVATE skua_paper skua_report skua_workloads $<TARGET_NAME_IF_EXISTS:skua::simulator> skua::skua
  skua_stateless Boost::context CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
target_compile_definitions(skua_cli PRIVATE SKUA_VERSION="${PROJECT_VERSION}")
pkg_check_modules(LIBDW IMPORTED_TARGET libdw)  # without it, `skua report` shows no lines of sources
if(LIBDW_FOUND)
  target_link_libraries(skua_cli PRIVATE PkgConfig::LIBDW)
  target_compile_definitions(skua_cli PRIVATE SKUA_HAS_LIBDW)
endif()
include(GNUInstallDirs)
file(RELATIVE_PATH from_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(skua_cli PROPERTIES
  OUTPUT_NAME skua
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  INSTALL_RPATH $ORIGIN/${from_bin_to_lib})
skua_unity(skua_cli)
target_compile_options(skua_cli PRIVATE ${SKUA_TOOL_OPTIONS})
set_source_files_properties(  # code that measures
  ${PROJECT_SOURCE_DIR}/src/cli/calibrate/measure_memory.cpp ${PROJECT_SOURCE_DIR}/src/cli/calibrate/measure_runtime.cpp
  ${PROJECT_SOURCE_DIR}/src/cli/topo/measure_distances.cpp
  PROPERTIES COMPILE_OPTIONS -O3)
set_source_files_properties(  # it replaces operator new: gcc would warn about every inlined pair of new and free
  ${PROJECT_SOURCE_DIR}/src/cli/whole_pages.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
