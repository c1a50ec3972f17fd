# The command line tool: one file per subcommand; `skua bench` runs the contenders of bench/ as processes.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

file(GLOB SKUA_CLI_SOURCES CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/cli/*.cpp ${PROJECT_SOURCE_DIR}/bench/peer_process.cpp
  # What follows is hidden in libskua.so.
  ${PROJECT_SOURCE_DIR}/src/managers/manager_tree.cpp ${PROJECT_SOURCE_DIR}/src/managers/worker_part.cpp
  ${PROJECT_SOURCE_DIR}/src/host/bind.cpp ${PROJECT_SOURCE_DIR}/src/topology/nearest_name.cpp
  ${PROJECT_SOURCE_DIR}/src/topology/disagreements.cpp ${PROJECT_SOURCE_DIR}/src/topology/distances_file.cpp
  ${PROJECT_SOURCE_DIR}/src/topology/text_file.cpp
  ${PROJECT_SOURCE_DIR}/src/topology/latency_groups.cpp ${PROJECT_SOURCE_DIR}/src/topology/measured_distances.cpp
  ${PROJECT_SOURCE_DIR}/src/topology/pins.cpp ${PROJECT_SOURCE_DIR}/src/simulator/json_part.cpp
  ${PROJECT_SOURCE_DIR}/src/observe/distribution.cpp ${PROJECT_SOURCE_DIR}/src/observe/run_record.cpp
  ${PROJECT_SOURCE_DIR}/src/observe/run_record_check.cpp ${PROJECT_SOURCE_DIR}/src/observe/run_record_json.cpp
  ${PROJECT_SOURCE_DIR}/src/observe/this_process.cpp ${PROJECT_SOURCE_DIR}/src/observe/whole_file.cpp)
add_executable(skua_cli ${SKUA_CLI_SOURCES})
target_include_directories(skua_cli PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(skua_cli PRIVATE skua_paper skua_report skua_workloads CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
target_compile_definitions(skua_cli PRIVATE SKUA_VERSION="${PROJECT_VERSION}")
include(GNUInstallDirs)
file(RELATIVE_PATH from_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(skua_cli PROPERTIES
  OUTPUT_NAME skua
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  INSTALL_RPATH $ORIGIN/${from_bin_to_lib})
