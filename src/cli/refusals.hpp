// The answers of the tool to bad input: one sentence with the input, what is allowed, and what is nearest to it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

/// "workload 'quens' does not exist; allowed: fib, queens or uts; nearest: queens"
std::string no_such(std::string_view what, std::string_view given,
                    const std::vector<std::string_view>& allowed);

inline constexpr std::int64_t max_workers = 4096;  // the limit of a scheduler

/// What an option accepts.
struct value_check {
  std::function<std::string(std::string&)> complaint;  // returns an empty text where the value is allowed
  std::string shown;                                   // by --help, in place of a value
};

/// A whole number from `min` to `max`, or `word` if there is one.
value_check whole_number(std::int64_t min, std::int64_t max, std::string_view word = {});
value_check real_number(double min, double max);
value_check one_of(std::vector<std::string_view> allowed);

/// The help of --pin, whose values topology/pins.hpp reads.
inline constexpr const char* pin_about =
    "how workers get CPUs: grouped (workers with adjacent numbers share a package), dealt (they alternate "
    "between packages), or a list of CPUs such as 0,3,6-8";

/// The name of a level of detail: L0 to L3 are accepted as well.
std::string by_either_name(std::string level);

}  // namespace skua::cli
