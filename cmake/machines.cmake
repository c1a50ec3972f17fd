# machines/*.json become constants of the library, which finds them wherever a program runs.
include(${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
skua_embed(machines simulator/machine/known_machines.hpp skua::simulator known_machine all_known_machines SKUA_SOURCES)
