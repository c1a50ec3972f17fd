// Lists and names in texts of users: "random, mix(0.9, nearest)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/for_simulator.hpp"

namespace skua::base {

/// Capital letters of ASCII become small ones.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// The parts between the commas outside of parentheses, trimmed: two parts for the text above. Empty parts are kept.
SKUA_FOR_SIMULATOR std::vector<std::string_view> split_at_commas(std::string_view text);
/// The same without empty parts.
std::vector<std::string> list_parts(std::string_view text);

/// "mix" of "mix(0.9, nearest)".
std::string_view name_before_parenthesis(std::string_view text);

}  // namespace skua::base
