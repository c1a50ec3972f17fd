// Checks that the members of a JSON text have the types of a run's record. Its messages are for authors of a file that
// skua did not write, because the JSON library does not report the position of an error in the file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace skua::observe {

/// Describes the first error, "its workers[0].times.user is a text, and not a number from 0 on"; empty: no error.
/// Missing and unknown members are no errors.
std::string wrong_member(const nlohmann::json& record);

}  // namespace skua::observe
