# Three libraries from the same objects: `skua`, the library for users; `skua_internal`, an archive for tests of internals,
# in which hidden names are visible; and `skua_stateless` for the tool. No target links both of the first two.
# `skua` is a shared library unless BUILD_SHARED_LIBS is off.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_package(nlohmann_json REQUIRED)

foreach(layer base topology observe policies managers core simulator)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
  list(APPEND SKUA_SOURCES ${sources})
endforeach()
include(${PROJECT_SOURCE_DIR}/cmake/machines.cmake)
file(GLOB_RECURSE SKUA_PUBLIC_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/skua/*.hpp)

add_library(skua_objects OBJECT ${SKUA_SOURCES})
target_include_directories(skua_objects PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(skua_objects PRIVATE PkgConfig::HWLOC Boost::context Threads::Threads nlohmann_json::nlohmann_json)
# Every fork reads the thread_local that finds the worker. The default TLS model would call a function for it;
# initial-exec needs one load. nodelete ensures that the library is never unloaded.
target_compile_definitions(skua_objects PRIVATE SKUA_LIBRARY)  # see detail/atomics.hpp
target_compile_options(skua_objects PRIVATE -ftls-model=initial-exec)
# One section for each function and variable, so that the linker leaves out those that only the tool and tests use.
target_compile_options(skua_objects PRIVATE -ffunction-sections -fdata-sections)
set_target_properties(skua_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)

skua_unity(skua_objects)
# clang reads the standard headers precompiled. skua's own are left out, so that a change of one does not compile all again.
if(SKUA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_precompile_headers(skua_objects PRIVATE
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
    <exception> <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <new> <numeric> <optional>
    <ranges> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <thread> <tuple> <unordered_map>
    <utility> <variant> <vector>)
endif()

if(NOT DEFINED BUILD_SHARED_LIBS OR BUILD_SHARED_LIBS)
  set(SKUA_IS_STATIC OFF)
  add_library(skua SHARED $<TARGET_OBJECTS:skua_objects>)
  target_link_options(skua PRIVATE -Wl,-z,nodelete -Wl,--gc-sections)
else()
  set(SKUA_IS_STATIC ON)
  add_library(skua STATIC $<TARGET_OBJECTS:skua_objects>)
  target_link_options(skua INTERFACE -Wl,-z,nodelete)  # also for a shared library that contains skua
endif()
add_library(skua::skua ALIAS skua)
target_sources(skua PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${SKUA_PUBLIC_HEADERS})
target_compile_features(skua PUBLIC cxx_std_20)
target_link_libraries(skua PRIVATE PkgConfig::HWLOC Boost::context Threads::Threads)
set_target_properties(skua PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION 0)
if(NOT PROJECT_IS_TOP_LEVEL)  # skua's headers cause no warnings in the parent
  set_target_properties(skua PROPERTIES SYSTEM ON)
endif()

add_library(skua_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:skua_objects>)
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
    "$<FILTER:$<TARGET_OBJECTS:skua_objects>,EXCLUDE,/(unity_)?src[/_](core|policies|simulator)[/_]>")
  target_include_directories(skua_stateless PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(skua_stateless PUBLIC PkgConfig::HWLOC Threads::Threads)
  set_target_properties(skua_stateless PROPERTIES LINKER_LANGUAGE CXX)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set_target_properties(skua PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
