// What the tool says to bad input: one sentence with the input, what is allowed, and the nearest match.
#pragma once

#include <cstdint>
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

inline constexpr std::int64_t most_workers = 4096;  // as a scheduler allows

/// For options: a whole number from `least` to `most`, or one of some names.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);
CLI::Validator one_of(std::vector<std::string_view> allowed);

}  // namespace skua::cli
