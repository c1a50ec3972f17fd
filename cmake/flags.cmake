# Compiler flags for skua's own sources. They apply only in skua's folder; no flag reaches a user's target.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)  # a build tree can be moved

# If skua is a part of another project, that project's warnings and linters do not apply here: its authors cannot change skua.
# skua's own checks find the warnings. -w comes after the parent's options and wins over each of them, also over -Werror.
if(NOT PROJECT_IS_TOP_LEVEL)
  foreach(linter CLANG_TIDY CPPCHECK CPPLINT INCLUDE_WHAT_YOU_USE)
    set(CMAKE_CXX_${linter} "")
  endforeach()
  add_compile_options(-w)
endif()

# Same bits on every machine: no implicit fused multiply-add, and no -march.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # gcc 12 wrongly warns about overlaps in std::string's operator+ (PR 105651)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # stable_sort of libstdc++ 12 calls its own deprecated functions, and clang warns at every caller.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(SKUA_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(SKUA_SANITIZE)
  # Optimised, so that the trees are fast enough for the stress tests. clang inlines next to nothing at -O1, so the programs of
  # the papers would take several times as long. -g1 has the line numbers of a report and takes three quarters of the compile time
  # of -g.
  add_compile_options(-fsanitize=${SKUA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<IF:$<CXX_COMPILER_ID:Clang>,-O2,-O1> -g1)
  add_link_options(-fsanitize=${SKUA_SANITIZE})
  # The sources ask for the names that gcc defines.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND SKUA_SANITIZE MATCHES thread)
    add_compile_definitions(__SANITIZE_THREAD__)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND SKUA_SANITIZE MATCHES address)
    add_compile_definitions(__SANITIZE_ADDRESS__)
  endif()
endif()

# Code that only formats and draws needs no -O3. -O3 doubles the time of compiling CLI11 and JSON. With a sanitizer, -O2 does.
set(SKUA_TOOL_OPTIONS $<$<CONFIG:Release>:-O1>)
if(SKUA_SANITIZE)
  set(SKUA_TOOL_OPTIONS -O0)
endif()
