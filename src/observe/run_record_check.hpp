// Whether a text of JSON has the members of a run's record as they must be, in words for whoever wrote it by hand or with
// another program: the library that reads JSON does not say where in the file something is wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace skua::observe {

/// What is wrong, "its workers[0].times.user is a text, and not a number from 0 on"; empty: nothing. A member that is
/// missing is none, and so is one that nobody knows.
std::string wrong_member(const nlohmann::json& record);

}  // namespace skua::observe
