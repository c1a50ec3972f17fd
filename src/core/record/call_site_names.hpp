// What a place that forks is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skua::core {

class symbols;

/// The function as its author knows it: "fib(long)" of "fib(long)::{lambda()#1}::operator()() const", and of what skua makes
/// of that lambda.
std::string enclosing_function(std::string_view symbol);

/// Whether the function is what a thief of a loop forks with, so that others may take of it.
bool is_thief_of_loop(std::string_view symbol);

/// Of the call that returns to the address.
std::string call_site_name(symbols& known, std::uint64_t return_address);

}  // namespace skua::core
