// The full form of a test runs under all policies and with more workers than CPUs. `make test-full` selects it with
// SKUA_TEST_FULL.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <skua/steal_policy.hpp>

inline bool is_full_form() { return std::getenv("SKUA_TEST_FULL") != nullptr; }

/// All policies, or only `quick` in the quick form.
inline std::vector<std::string> policies_or(std::vector<std::string> quick) {
  if (!is_full_form()) return quick;
  std::vector<std::string> names{"managers(dedicated=1)", "managers(rescue=no)", "mix(0.5, bitier, chaos)"};
  for (const skua::policy_info* info : skua::policies()) names.emplace_back(info->name);
  return names;
}

/// 1, 2, 3 and 64 workers, or only `quick` in the quick form.
inline std::vector<int> workers_or(std::vector<int> quick) {
  return is_full_form() ? std::vector{1, 2, 3, 64} : quick;
}
