// Whom a policy asks when nobody has anything.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua::cli {

/// How often each victim is tried in one round of a thief that finds nothing. Throws bad_input for what is no policy.
std::vector<std::size_t> tries_in_a_round(const std::string& policy, const placement& seats, worker_id thief);

}  // namespace skua::cli
