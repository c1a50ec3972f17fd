// What the tool says to bad input: one sentence with the input, what is allowed, and the nearest match.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Validator;
}

namespace skua::cli {

/// "workload 'quens' does not exist; allowed: fib, queens or uts; nearest: queens"
std::string no_such(std::string_view what, std::string_view given,
                    const std::vector<std::string_view>& allowed);

inline constexpr std::int64_t max_workers = 4096;  // as a scheduler allows
/// Workers on this machine where nobody says how many.
std::int64_t one_a_core();

/// For options: a whole number from `least` to `most`, or one of some names. What is no number at all is nearest to
/// usual(), or to `least` where there is none; with a `word` that is allowed, too, to that.
CLI::Validator whole_number(std::int64_t min, std::int64_t max, std::function<std::int64_t()> usual = {},
                            std::string_view word = {});
/// Of --pin, whose words topology/pins.hpp knows.
inline constexpr const char* pin_words =
    "ids of workers: grouped by package, or dealt to packages in turn; or their CPUs, 0,3,6-8";
/// Of a decimal number from `least` to `most`.
CLI::Validator real_number(double min, double max);

CLI::Validator one_of(std::vector<std::string_view> allowed);

/// Of a level of detail: L0 to L3 are accepted, too.
std::string by_either_name(std::string level);

}  // namespace skua::cli
