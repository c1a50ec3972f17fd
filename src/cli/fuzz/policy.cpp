// Any policy of the registry, with any of its options.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <skua/steal_policy.hpp>

#include "cli/fuzz/dice.hpp"
#include "cli/fuzz/plan.hpp"

namespace skua::cli::fuzz {
namespace {

std::string drawn_policy(dice& by, std::int64_t workers, int depth);

/// Small numbers mostly: a patience of a million rounds only makes a step long.
std::string drawn_whole(const policy_option& option, dice& by, std::int64_t workers) {
  const auto min = static_cast<std::int64_t>(option.min), max = static_cast<std::int64_t>(option.max);
  constexpr std::int64_t enough = 64;
  std::int64_t highest = std::min(max, std::max(min, std::int64_t{0}) + enough);
  // Somebody has to run the tasks.
  if (option.name == "dedicated") highest = std::max<std::int64_t>(0, std::min(highest, workers - 3));
  return std::to_string(
      min + static_cast<std::int64_t>(by.magnitude(0, static_cast<std::uint64_t>(highest - min))));
}

std::string drawn_value(const policy_option& option, dice& by, std::int64_t workers, int depth) {
  switch (option.kind) {
    case policy_option::flag:
      return by.one_in(2) ? "yes" : "no";
    case policy_option::choice:
      return std::string(option.allowed[by.below(option.allowed.size())]);
    case policy_option::whole:
      return drawn_whole(option, by, workers);
    case policy_option::fraction:
      return fmt::format("{:.2f}", option.min + (std::min(option.max, 0.9) - option.min) *
                                                      static_cast<double>(by.below(101)) / 100);
    case policy_option::policy:
      return drawn_policy(by, workers, depth + 1);
  }
  return {};
}

std::string with_options(const policy_info& info, dice& by, std::int64_t workers, int depth) {
  std::string inside;
  for (const policy_option& option : info.options)
    if (by.one_in(2))
      inside += fmt::format("{}{}={}", inside.empty() ? "" : ", ", option.name,
                            drawn_value(option, by, workers, depth));
  return inside.empty() ? std::string(info.name) : fmt::format("{}({})", info.name, inside);
}

/// Those in whose service most of the core works come more often than the others.
std::string drawn_policy(dice& by, std::int64_t workers, int depth) {
  std::vector<const policy_info*> all = policies();
  if (depth != 0) std::erase_if(all, [](const policy_info* p) { return p->name == "mix"; });
  if (by.one_in(3))
    std::erase_if(all, [](const policy_info* p) { return p->name != "bitier" && p->name != "managers"; });
  return with_options(*all[by.below(all.size())], by, workers, depth);
}

}  // namespace

std::string random_policy(dice& by, std::int64_t workers) { return drawn_policy(by, workers, 0); }

}  // namespace skua::cli::fuzz
