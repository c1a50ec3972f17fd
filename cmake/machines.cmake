# Embeds machines/*.json into the simulator as constants, so that it finds them wherever a program runs.
include(${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
skua_embed(machines simulator/machine/machine_model.hpp skua::simulator known_machine all_known_machines SKUA_SIMULATOR_SOURCES)
