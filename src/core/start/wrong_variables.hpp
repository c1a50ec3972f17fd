// Reports wrong environment variables: bad values whose exception the program does not catch, misspelt names, and variables that
// need another one.
#pragma once

#include <span>
#include <string>

#include <skua/topology.hpp>

namespace skua::core {

/// If no code catches the refusal of a variable's value, the process ends with its sentence and exit code 2, not with
/// std::terminate's text and a core dump. Call it before such a refusal leaves the library.
void end_by_refusal_if_uncaught(const bad_input& refusal) noexcept;

/// "SKUA_WORKRES is not a variable of skua; nearest: SKUA_WORKERS", for the first misspelt variable ("NAME=value"); empty
/// if there is none. Names that are not similar to any variable of skua may belong to the program.
std::string misspelt_variable(std::span<const char* const> environment);

/// "SKUA_SIMULATE_COSTS has no effect without SKUA_SIMULATE", for the first such variable; empty if there is none.
std::string variable_without_effect(std::span<const char* const> environment);

/// Says both on standard error, once for a process.
void say_wrong_variables() noexcept;

}  // namespace skua::core
