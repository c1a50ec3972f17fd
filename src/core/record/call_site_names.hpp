// The names of call sites.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skua::core {

class symbols;

/// The function as its author knows it: "fib(long)" for "fib(long)::{lambda()#1}::operator()() const", and for the
/// functions that skua makes from that lambda.
std::string enclosing_function(std::string_view symbol);

/// Whether a thief of a loop forks by this function, so that other workers may take a part of the loop.
bool is_thief_of_loop(std::string_view symbol);

/// Whether the function is of skua or of the standard library.
bool is_of_libraries(std::string_view symbol);

/// The name of the call that returns to the address.
std::string call_site_name(symbols& known, std::uint64_t return_address);

}  // namespace skua::core
