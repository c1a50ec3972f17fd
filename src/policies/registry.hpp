// The built-in policies: one line each.
#pragma once

#include <memory>

#include <skua/steal_policy.hpp>

namespace skua::policy {

std::unique_ptr<steal_policy> make_nearest();
std::unique_ptr<steal_policy> make_random();

}  // namespace skua::policy
