# skua_unity(TARGET [EACH N])
#
# Compiles the sources of TARGET in batches: up to N (8) files of one folder are one translation unit. The compiler then reads
# headers and instantiates templates once a batch, which is faster (docs/decisions/0023-compile-times.md). So each name in an anonymous namespace
# must be unique within its folder. `make check` also compiles every file by itself.
# Two kinds of files stay by themselves. The first kind are files that a patch of tests/planted_patches changes, because the
# tests exchange their objects. The second kind are those in SKUA_NOT_IN_BATCHES. The files of the topology find the machine and
# remember where the process may run. In a batch, they would come into the tool with the files that it takes from
# skua_stateless, and remember that a second time. symbols.cpp has a struct with members of an anonymous namespace, and gcc
# warns about it outside of a main file (-Wsubobject-linkage). A static library leaves out load_simulator.cpp.
option(SKUA_UNITY "Compile skua's sources in batches" ON)
set(SKUA_NOT_IN_BATCHES src/topology/affinity.cpp src/topology/hwloc_tree.cpp src/topology/topology.cpp
  src/core/platform/symbols.cpp src/core/platform/load_simulator.cpp)

file(GLOB patches ${PROJECT_SOURCE_DIR}/tests/planted_patches/*.patch)
set(SKUA_PATCHED "")
foreach(patch IN LISTS patches)
  file(STRINGS ${patch} changed REGEX "^\\+\\+\\+ b/")
  string(REPLACE "+++ b/" "" changed "${changed}")
  list(APPEND SKUA_PATCHED ${changed})
endforeach()

function(skua_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 batch "" EACH "")
  if(NOT SKUA_UNITY)
    return()
  endif()
  if(NOT batch_EACH)
    set(batch_EACH 8)
  endif()
  set(number 0)
  set(last_folder "")
  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM sources REPLACE "/([^/]+)$" "/ \\1")  # the files of a folder come before its subfolders
  list(SORT sources)
  list(TRANSFORM sources REPLACE "/ " "/")
  foreach(source IN LISTS sources)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${source} is_ours)
    if(NOT is_ours OR NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    if(file IN_LIST SKUA_NOT_IN_BATCHES OR file IN_LIST SKUA_PATCHED)
      continue()
    endif()
    if(NOT folder STREQUAL last_folder OR in_batch EQUAL batch_EACH)
      math(EXPR number "${number} + 1")
      set(in_batch 0)
      set(last_folder ${folder})
    endif()
    math(EXPR in_batch "${in_batch} + 1")
    string(MAKE_C_IDENTIFIER "${folder}" name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
