# skua_embed(FOLDER HEADER NAMESPACE TYPE SYMBOL SOURCES)
#
# The files FOLDER/*.json become constants of whatever compiles ${SOURCES}, to which one file is added: the span SYMBOL
# of TYPE, {name, text}, in the order of their names, as HEADER declares it in NAMESPACE. So they are found wherever a
# program runs.
function(skua_embed folder header namespace type symbol sources)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set(generated ${PROJECT_BINARY_DIR}/generated/known_${folder}.cpp)
  file(WRITE ${generated}.new "// Generated from ${folder}/*.json.
#include \"${header}\"

namespace ${namespace} {

namespace {

constexpr ${type} embedded[] = {
${entries}};

}  // namespace

const std::span<const ${type}> ${symbol} = embedded;

}  // namespace ${namespace}
")
  file(COPY_FILE ${generated}.new ${generated} ONLY_IF_DIFFERENT)
  set(${sources} ${${sources}} ${generated} PARENT_SCOPE)
endfunction()
