# The tests of unit/ and api/. Each folder is one executable. It runs in shards; each shard is a ctest test and a process.
#
# tools/run_tests reads the result of each case from the XML file that a shard writes (tests/results/SHARD.xml). ctest
# alone uses only the exit code.

# Most of the time of all tests is the time to compile them, so their own code is optimised little. The library, the
# workloads and the stress tests are compiled as in each other build.
set(test_options $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O1>)
if(SKUA_SANITIZE MATCHES address)
  set(test_options -O0)
elseif(SKUA_SANITIZE)
  set(test_options -O1)
endif()

# The headers that nearly all tests include are parsed once for unit/ and once for api/. Headers of src/ are left out,
# because a change of one should not compile all tests again. The tree check-clang finds files that lack an include, so it
# precompiles only the header that all tests include.
set(common_headers <gtest/gtest.h>)
set(skua_header "")
if(SKUA_UNITY OR SKUA_SANITIZE)
  list(APPEND common_headers <algorithm> <atomic> <filesystem> <fstream> <functional> <map> <memory> <sstream> <string>
    <thread> <vector>)
  set(skua_header <skua/skua.hpp>)
endif()
add_library(skua_unit_tests STATIC support/nothing.cpp)
target_link_libraries(skua_unit_tests PUBLIC skua_internal GTest::gtest_main)
target_precompile_headers(skua_unit_tests PRIVATE ${common_headers})
add_library(skua_api_tests STATIC support/nothing.cpp)
target_link_libraries(skua_api_tests PUBLIC skua_workloads GTest::gtest_main nlohmann_json::nlohmann_json)
target_precompile_headers(skua_api_tests PRIVATE ${common_headers} ${skua_header})
add_dependencies(skua_api_tests skua_simulator)
foreach(kind unit api)
  target_include_directories(skua_${kind}_tests PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(skua_${kind}_tests PUBLIC ${test_options} $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
  set_target_properties(skua_${kind}_tests PROPERTIES UNITY_BUILD OFF LINKER_LANGUAGE CXX)
endforeach()

set(results ${CMAKE_CURRENT_BINARY_DIR}/results)
file(MAKE_DIRECTORY ${results})
function(add_shard name executable filter total index)
  add_test(NAME ${name} COMMAND ${executable} --gtest_filter=${filter} --gtest_output=xml:${results}/${name}.xml)
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT ${seconds}
    ENVIRONMENT "GTEST_TOTAL_SHARDS=${total};GTEST_SHARD_INDEX=${index}")
endfunction()

# test_executable(NAME SOURCES... [LIBRARIES...] [SHARDS count] [EACH_ITSELF] [ALONE pattern...])
#
# Cases that match a pattern of ALONE run in a process of their own, one process for each pattern.
function(test_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 test "EACH_ITSELF" "SHARDS" "SOURCES;LIBRARIES;ALONE")
  string(REGEX MATCH "^[a-z]+" kind ${name})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} skua_${kind}_tests)
  target_precompile_headers(${name} REUSE_FROM skua_${kind}_tests)
  if(SKUA_SANITIZE)
    # Of an inline function that both compile, the linker takes the first: that of the library or of the workloads, which is
    # optimised. Some tests take a twentieth of the time then.
    set(optimised $<IF:$<STREQUAL:${kind},api>,$<TARGET_FILE:skua_workloads>,$<TARGET_FILE:skua_internal>>)
    target_link_options(${name} BEFORE PRIVATE "SHELL:-Wl,--whole-archive ${optimised} -Wl,--no-whole-archive")
  endif()
  # Small files are compiled together, because most of their compile time is that of their headers. Each file has a namespace
  # of its own, so names do not collide.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6 LINK_DEPENDS_NO_SHARED ON)
  foreach(file ${test_SOURCES})
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${file} bytes)
    if(bytes GREATER 12000 OR test_EACH_ITSELF)
      set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()

  string(REPLACE "_" "." test_name ${name})
  list(JOIN test_ALONE ":" alone)
  if(alone)
    set(alone "-${alone}")
  endif()
  if(NOT test_SHARDS)
    set(test_SHARDS 1)
  endif()
  if(SKUA_SANITIZE AND test_SHARDS GREATER 1)
    math(EXPR test_SHARDS "3 * ${test_SHARDS}")  # each case takes many times as long with a sanitizer
  endif()
  foreach(shard RANGE 1 ${test_SHARDS})
    math(EXPR index "${shard} - 1")
    add_shard(${test_name}.${shard}_of_${test_SHARDS} ${name} "*${alone}" ${test_SHARDS} ${index})
  endforeach()
  foreach(pattern ${test_ALONE})
    string(REGEX REPLACE "[.][*]$" "" readable ${pattern})
    add_shard(${test_name}.alone.${readable} ${name} ${pattern} 1 0)
  endforeach()
endfunction()

# These tests replace operator new, or register a policy that the tests of all policies would find. So each needs an
# executable of its own. With clang's ThreadSanitizer, a program has the operator new of that runtime, so the first kind runs
# only with AddressSanitizer.
set(replace_operator_new unit/core/without_memory api/runtime/nth_allocation unit/observe/lost_events)
set(own_executable ${replace_operator_new} unit/policies/managers_policy)
foreach(test ${own_executable})
  if(test IN_LIST replace_operator_new AND SKUA_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    continue()
  endif()
  string(REPLACE "/" "_" name ${test})
  test_executable(${name} SOURCES ${test}_test.cpp)
endforeach()

# test_folder(FOLDER [LIBRARIES ...] [SHARDS count] [ALONE pattern ...]): the tests of the folder that are not listed above.
function(test_folder folder)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${folder}/*_test.cpp)
  foreach(test ${own_executable})
    list(REMOVE_ITEM sources ${test}_test.cpp)
  endforeach()
  # These tests have a single thread, so they have no race, and they take minutes with ThreadSanitizer.
  if(SKUA_SANITIZE MATCHES thread)
    list(FILTER sources EXCLUDE REGEX
      "^unit/(simulator/(adm|carbon|machine|memory|model_of|modelled)_|paper/|report/)|^api/.*/(substrates|recording|simulated_memory)_")
  endif()
  string(REPLACE "/" "_" name ${folder})
  if(sources)
    test_executable(${name} SOURCES ${sources} ${ARGN})
  endif()
endfunction()

# ALONE lists the cases that need a process of their own:
#   - They fork. fork() keeps only the calling thread, so no other case of the process may have begun a default scheduler:
#     own_counters, hardware_report, report_at_exit, rehearsal, binding, few_resources. (Death tests have the threadsafe
#     style and need no process of their own.)
#   - They choose the default scheduler, which is possible once per process:
#     work_span.calls_from_external_threads_belong_to_their_caller
#   - They limit the maximum size, the size or the CPU time of the process, to which other cases add:
#     symbols.of_a_large_file_only_the_symbols_are_read, scheduler.forks_need_next_to_no_memory,
#     task_group.ten_million_tasks_in_rounds_need_the_memory_of_one_round,
#     task_group.an_endless_spawner_does_not_grow_through_copies_that_throw, simulated_memory,
#     scheduler.without_work_the_process_uses_no_cpu
#   - They check a simulated run whose result depends on where malloc puts arrays in lines and pages, and so on the cases
#     before: triad.says_how_many_leaves_ran_where_they_ran_before, sgemm.counts_what_other_workers_ran
test_folder(unit/base)
test_folder(unit/topology ALONE rehearsal.*)
test_folder(unit/observe)
test_folder(unit/policies)
test_folder(unit/core SHARDS 2 ALONE own_counters.* work_span.calls_from_external_threads_belong_to_their_caller
  symbols.of_a_large_file_only_the_symbols_are_read)
test_folder(unit/simulator SHARDS 4)
test_folder(unit/paper LIBRARIES skua_paper)
test_folder(unit/report LIBRARIES skua_report)
test_folder(api/runtime SHARDS 6 ALONE binding.* few_resources.* scheduler.forks_need_next_to_no_memory
  scheduler.without_work_the_process_uses_no_cpu
  task_group.ten_million_tasks_in_rounds_need_the_memory_of_one_round
  task_group.an_endless_spawner_does_not_grow_through_copies_that_throw)
test_folder(api/loops EACH_ITSELF SHARDS 2)  # each file takes long to compile
test_folder(api/policies SHARDS 8)
test_folder(api/own_policies SHARDS 2)  # they register policies that the tests of all policies must not find
test_folder(api/observe SHARDS 2 ALONE report_at_exit.* hardware_report.*)
test_folder(api/simulation SHARDS 6 ALONE simulated_memory.*)
test_folder(api/workloads SHARDS 4 ALONE triad.says_how_many_leaves_ran_where_they_ran_before
  sgemm.counts_what_other_workers_ran)

# The full form of the tests of failures runs under all policies and on 1, 2, 3 and 64 workers (support/full_form.hpp). The
# sanitizer trees leave it out, because there it takes many times as long.
if(SKUA_SANITIZE)
  return()
endif()
foreach(test api_loops/throwing_values* api_runtime/signals.* api_runtime_nth_allocation/*)
  string(REGEX REPLACE "/.*" "" executable ${test})
  string(REGEX REPLACE ".*/" "*" filter ${test})
  string(REGEX REPLACE "[^a-z]+" "." name ${test})
  string(REGEX REPLACE "[.]$" "" name ${name})
  add_shard(${name}.full ${executable} ${filter} 1 0)
  set_tests_properties(${name}.full PROPERTIES LABELS "unit;full" ENVIRONMENT SKUA_TEST_FULL=1)
endforeach()
