// Checks the members of a run's record in JSON. The message tells the author of a file where it is wrong, which the JSON library
// does not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace skua::observe {

/// The first error, such as "its workers[0].times.user is a text, not a number of 0 or more"; empty if there is none. Missing
/// and unknown members are not errors.
std::string wrong_member(const nlohmann::json& record);

}  // namespace skua::observe
