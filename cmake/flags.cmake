# How skua's own sources are compiled. Everything here ends at skua's folder: no flag reaches a user's target.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)  # a build tree can be moved

# Same bits on every machine: no fused multiply-add behind the program's back, and no -march.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # gcc 12 sees overlaps in std::string's operator+ that are not there (PR 105651)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's stable_sort calls what it deprecates itself, and clang says so at every caller.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(SKUA_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(SKUA_SANITIZE)
  # -O1 keeps the trees fast enough for the stress tests and the reports readable; -g1 has the lines of a report, in three
  # quarters of the time that a compiler takes with -g.
  add_compile_options(-fsanitize=${SKUA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${SKUA_SANITIZE})
endif()
