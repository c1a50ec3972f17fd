#include "core/site_names.hpp"

#include <algorithm>

#include "core/symbols.hpp"

namespace skua::core {

namespace {

/// Where the name begins that ends before `end`: at a blank, a comma or a bracket that is not its own.
std::size_t begin_of_name(std::string_view s, std::size_t end) {
  int inside = 0;
  for (std::size_t i = end; i-- > 0;) {
    const char c = s[i];
    if (c == ')' || c == '>' || c == ']' || c == '}') {
      ++inside;
    } else if (c == '(' || c == '<' || c == '[' || c == '{') {
      if (inside-- == 0) return i + 1;
    } else if (inside == 0 && (c == ' ' || c == ',' || c == '&' || c == '*')) {
      return i + 1;
    }
  }
  return 0;
}

std::string_view without_end(std::string_view s, std::string_view end) {
  return s.ends_with(end) ? s.substr(0, s.size() - end.size()) : s;
}

/// Where a lambda's own name begins, of the first that the symbol mentions; npos.
std::size_t first_lambda(std::string_view s) {
  return std::min({s.find("::{lambda("), s.find("::'lambda"), s.find("::$_")});
}

}  // namespace

std::string enclosing_function(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find(" [clone"));
  const std::size_t lambda = first_lambda(symbol);
  if (lambda == std::string_view::npos) return std::string(symbol);
  const std::string_view before = without_end(without_end(symbol.substr(0, lambda), " const"), " volatile");
  return std::string(before.substr(begin_of_name(before, before.size())));
}

// The byte before: a call that is a function's last instruction returns to the next function.
std::string site_name(std::uint64_t return_address) {
  return enclosing_function(function_at(return_address == 0 ? 0 : return_address - 1));
}

}  // namespace skua::core
