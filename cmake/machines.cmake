# machines/*.json become constants of the library, which finds them wherever a program runs.
file(GLOB machine_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/machines/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${machine_files})
set(entries "")
foreach(file IN LISTS machine_files)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"machine(${text})machine\"},\n")
endforeach()
set(generated ${PROJECT_BINARY_DIR}/generated/known_machines.cpp)
file(WRITE ${generated}.new "// Generated from machines/*.json.
#include \"simulator/known_machines.hpp\"

namespace skua::simulator {

namespace {

constexpr known_machine machines[] = {
${entries}};

}  // namespace

const std::span<const known_machine> all_known_machines = machines;

}  // namespace skua::simulator
")
file(COPY_FILE ${generated}.new ${generated} ONLY_IF_DIFFERENT)
list(APPEND SKUA_SOURCES ${generated})
