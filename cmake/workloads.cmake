# The programs of the papers, which use only the public headers. The tool, the demo and the tests run them.
file(GLOB_RECURSE SKUA_WORKLOADS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workloads/*.cpp)
add_library(skua_workloads STATIC ${SKUA_WORKLOADS})
target_include_directories(skua_workloads PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(skua_workloads PUBLIC skua::skua)
set_target_properties(skua_workloads PROPERTIES LINKER_LANGUAGE CXX)
skua_unity(skua_workloads EACH 6)
