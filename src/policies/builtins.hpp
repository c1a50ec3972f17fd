// The built-in policies: each file defines one of these, and two lines here list it.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include <skua/steal_policy.hpp>

#include "policies/arguments.hpp"

namespace skua::policy {

struct builtin {
  policy_info info;
  std::unique_ptr<steal_policy> (*make)(const arguments&);
};

extern const builtin affinity, announced, automatic, bitier, chaos, chase_lev, deal_at_start, depth_aware,
    managers, mix, most_loaded, nearest, random, round_robin;

/// In the order of `skua list policies`.
inline constexpr std::array builtins{&nearest, &random,      &round_robin, &most_loaded,   &announced,
                                     &bitier,  &depth_aware, &affinity,    &deal_at_start, &managers,
                                     &mix,     &automatic,   &chase_lev,   &chaos};

/// How much a steal takes, for the policies whose papers vary it.
inline constexpr policy_option half_option{policy_option::flag, "half", "no",
                                           "take half of what the victim has published, instead of one task"};
inline amount amount_of(const arguments& given) { return given.flag("half") ? amount::half : amount::one; }

/// The cost of a fork, for a policy that needs nothing from it.
inline constexpr std::string_view no_cost =
    "nothing: a fork is the same for every policy that only looks and steals";

}  // namespace skua::policy
