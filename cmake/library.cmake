# Libraries from the same objects: `skua`, the library for users; `skua_simulator`, which `skua` loads when a program
# simulates; `skua_internal`, an archive of both for tests of internals, in which hidden names are visible; and
# `skua_stateless` for the tool. No target links both `skua` and `skua_internal`.
# `skua` is a shared library unless BUILD_SHARED_LIBS is off. A static one contains the simulator.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_package(nlohmann_json REQUIRED)

foreach(layer observe policies managers core)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
  list(APPEND SKUA_SOURCES ${sources})
endforeach()
# Code that runs when a scheduler starts, or when a report or trace is written: texts, files, the machine. Optimised for size it
# has half the size.
file(GLOB_RECURSE SKUA_START_SOURCES CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/base/*.cpp ${PROJECT_SOURCE_DIR}/src/topology/*.cpp)
set(cold observe/run_record observe/trace_text policies/arguments policies/with
  core/record/call_site_names core/record/choices_record core/record/exit_report core/record/record
  core/start/binding core/start/policy_registry core/start/settings core/start/wrong_variables
  core/platform/resource_limits core/platform/simulation_line core/platform/watchdog core/learning/best_workers)
list(TRANSFORM cold PREPEND ${PROJECT_SOURCE_DIR}/src/)
list(TRANSFORM cold APPEND .cpp)
list(REMOVE_ITEM SKUA_SOURCES ${cold})
list(APPEND SKUA_START_SOURCES ${cold})
file(GLOB_RECURSE SKUA_SIMULATOR_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/simulator/*.cpp)
include(${PROJECT_SOURCE_DIR}/cmake/machines.cmake)
file(GLOB_RECURSE SKUA_PUBLIC_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/skua/*.hpp)

add_library(skua_objects OBJECT ${SKUA_SOURCES})
add_library(skua_start_objects OBJECT ${SKUA_START_SOURCES})
target_compile_options(skua_start_objects PRIVATE $<$<CONFIG:Release>:-Os>)
add_library(skua_simulator_objects OBJECT ${SKUA_SIMULATOR_SOURCES})
foreach(objects skua_objects skua_start_objects skua_simulator_objects)
  target_include_directories(${objects} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${objects} PRIVATE PkgConfig::HWLOC Boost::context Threads::Threads nlohmann_json::nlohmann_json)
  # Every fork reads the thread_local that finds the worker. The default TLS model would call a function for it;
  # initial-exec needs one load. nodelete ensures that the library is never unloaded.
  target_compile_definitions(${objects} PRIVATE SKUA_LIBRARY)  # see detail/atomics.hpp
  target_compile_options(${objects} PRIVATE -ftls-model=initial-exec)
  # One section for each function and variable, so that the linker leaves out those that only the tool and tests use.
  target_compile_options(${objects} PRIVATE -ffunction-sections -fdata-sections)
  set_target_properties(${objects} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  skua_unity(${objects})
endforeach()
set(SKUA_SOVERSION 0)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/core/platform/load_simulator.cpp
  ${PROJECT_SOURCE_DIR}/src/simulator/library_entry.cpp PROPERTIES COMPILE_DEFINITIONS
  "SKUA_VERSION=\"${PROJECT_VERSION}\";SKUA_LIBRARY_FILE=\"libskua.so.${SKUA_SOVERSION}\";SKUA_SIMULATOR_FILE=\"libskua_simulator.so.${SKUA_SOVERSION}\""
  SKIP_UNITY_BUILD_INCLUSION ON)
# The core and the simulator in one: without the file that loads the simulator.
set(SKUA_ALL_OBJECTS "$<FILTER:$<TARGET_OBJECTS:skua_objects>,EXCLUDE,/load_simulator\\.cpp>"
  $<TARGET_OBJECTS:skua_simulator_objects> $<TARGET_OBJECTS:skua_start_objects>)
# clang reads the standard headers precompiled. skua's own are left out, so that a change of one does not compile all again.
if(SKUA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_precompile_headers(skua_objects PRIVATE
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
    <exception> <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <new> <numeric> <optional>
    <ranges> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <thread> <tuple> <unordered_map>
    <utility> <variant> <vector>)
  target_precompile_headers(skua_simulator_objects REUSE_FROM skua_objects)
endif()

if(NOT DEFINED BUILD_SHARED_LIBS OR BUILD_SHARED_LIBS)
  set(SKUA_IS_STATIC OFF)
  # Of an inline function that several compile, the linker takes the first, so the fast one.
  add_library(skua SHARED $<TARGET_OBJECTS:skua_objects> $<TARGET_OBJECTS:skua_start_objects>)
  target_link_options(skua PRIVATE -Wl,-z,nodelete -Wl,--gc-sections)
  target_link_libraries(skua PRIVATE ${CMAKE_DL_LIBS})
  add_library(skua_simulator SHARED $<TARGET_OBJECTS:skua_simulator_objects>)
  target_link_libraries(skua_simulator PRIVATE skua Threads::Threads)
  target_link_options(skua_simulator PRIVATE -Wl,-z,nodelete -Wl,--gc-sections)
  if(NOT SKUA_SANITIZE)  # their functions are in the program
    target_link_options(skua_simulator PRIVATE -Wl,-z,defs)  # else a name that libskua.so hides is found only by a user
  endif()
  set_target_properties(skua_simulator PROPERTIES
    LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    SOVERSION ${SKUA_SOVERSION}
    EXPORT_NAME simulator
    INSTALL_RPATH $ORIGIN)
  add_library(skua::simulator ALIAS skua_simulator)
else()
  set(SKUA_IS_STATIC ON)
  add_library(skua STATIC ${SKUA_ALL_OBJECTS})
  target_link_options(skua INTERFACE -Wl,-z,nodelete)  # also for a shared library that contains skua
endif()
add_library(skua::skua ALIAS skua)
target_sources(skua PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${SKUA_PUBLIC_HEADERS})
target_compile_features(skua PUBLIC cxx_std_20)
target_link_libraries(skua PRIVATE PkgConfig::HWLOC Boost::context Threads::Threads)
set_target_properties(skua PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${SKUA_SOVERSION})
if(NOT PROJECT_IS_TOP_LEVEL)  # skua's headers cause no warnings in the parent
  set_target_properties(skua PROPERTIES SYSTEM ON)
endif()

add_library(skua_internal STATIC EXCLUDE_FROM_ALL ${SKUA_ALL_OBJECTS})
target_include_directories(skua_internal PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(skua_internal PUBLIC PkgConfig::HWLOC Boost::context Threads::Threads)
set_target_properties(skua_internal PROPERTIES LINKER_LANGUAGE CXX)

# For the tool, which links the shared library: the code that the library hides, from the layers without state of the runtime.
# With the core in it, the tool could get a second runtime besides that of the library. A static library hides nothing.
if(SKUA_IS_STATIC)
  add_library(skua_stateless INTERFACE)
  target_include_directories(skua_stateless INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(skua_stateless INTERFACE skua)
else()
  add_library(skua_stateless STATIC EXCLUDE_FROM_ALL
    "$<FILTER:$<TARGET_OBJECTS:skua_start_objects>,EXCLUDE,/(unity_)?src[/_](core|policies)[/_]>"
    "$<FILTER:$<TARGET_OBJECTS:skua_objects>,EXCLUDE,/(unity_)?src[/_](core|policies)[/_]>")
  target_include_directories(skua_stateless PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(skua_stateless PUBLIC PkgConfig::HWLOC Threads::Threads)
  set_target_properties(skua_stateless PROPERTIES LINKER_LANGUAGE CXX)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(libraries skua)
  if(NOT SKUA_IS_STATIC)
    list(APPEND libraries skua_simulator)
  endif()
  set_target_properties(${libraries} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
