#include "core/record/call_site_names.hpp"

#include <algorithm>
#include <cstddef>

#include "core/platform/symbols.hpp"

namespace skua::core {

namespace {

/// Where the name that ends before `end` begins: at a blank, a comma or a bracket that is not its own.
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

/// Where the name of the first lambda in the symbol begins, or npos.
std::size_t first_lambda(std::string_view s) {
  return std::min({s.find("::{lambda("), s.find("::'lambda"), s.find("::$_")});
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes an identifier of a mangled name, such as "3fib", off `rest`; empty if there is none.
std::string_view take_identifier(std::string_view& rest) {
  std::size_t length = 0, digits = 0;
  while (digits < rest.size() && is_digit(rest[digits]) && length < rest.size())
    length = 10 * length + static_cast<std::size_t>(rest[digits++] - '0');
  if (length == 0 || length > rest.size() - digits) return {};
  const std::string_view identifier = rest.substr(digits, length);
  rest.remove_prefix(digits + length);
  return identifier;
}

/// The length of a literal in a mangled name, such as "Lm18446744073709551615E"; 0 if there is none.
std::size_t literal_at(std::string_view rest) {
  if (rest.size() < 4 || rest[0] != 'L' || rest[1] < 'a' || rest[1] > 'z') return 0;
  std::size_t at = 2;
  while (at < rest.size() && (is_digit(rest[at]) || rest[at] == 'n')) ++at;
  return at > 2 && at < rest.size() && rest[at] == 'E' ? at + 1 : 0;
}

/// The name, without arguments, of a function that begins after a Z; empty if it begins with a back reference.
std::string local_function(std::string_view rest) {
  const bool in_others = rest.starts_with('N');
  if (in_others) rest.remove_prefix(1);
  while (!rest.empty() && (rest[0] == 'K' || rest[0] == 'V' || rest[0] == 'r')) rest.remove_prefix(1);
  std::string name;
  if (rest.starts_with("St")) return "std";
  for (std::string_view id = take_identifier(rest); !id.empty(); id = take_identifier(rest)) {
    name.append(name.empty() ? "" : "::")
        .append(id.starts_with("_GLOBAL__N_") ? "(anonymous namespace)" : id);
    if (!in_others) break;
  }
  return name;
}

/// No demangler reads the names that compilers give to lambdas in generic lambdas. Finds the first function in such a
/// name that encloses a lambda and belongs neither to skua nor to the standard library; empty if there is none.
std::string function_in_mangled(std::string_view symbol) {
  for (std::string_view rest = symbol; !rest.empty();) {
    if (const std::size_t literal = literal_at(rest)) {
      rest.remove_prefix(literal);
    } else if (is_digit(rest[0])) {
      if (take_identifier(rest).empty()) rest.remove_prefix(1);
    } else {
      const bool encloses = rest[0] == 'Z';
      rest.remove_prefix(1);
      if (!encloses || rest.starts_with('Z')) continue;
      const std::string name = local_function(rest);
      if (!name.empty() && name != "std" && name != "skua" && !name.starts_with("skua::")) return name;
    }
  }
  return {};
}

/// The body of a loop that is not a lambda, from the name of skua's template; empty if it is none.
std::string_view loop_body(std::string_view symbol) {
  constexpr std::string_view positions = "skua::detail::each_position<";
  const std::size_t at = symbol.find(positions);
  if (at == std::string_view::npos) return {};
  const std::string_view arguments = symbol.substr(at + positions.size());  // "int, a::b<int> > >..."
  std::size_t begin = 0;
  int inside = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    if (c == '<' || c == '(') ++inside;
    if (c == ',' && inside == 0) begin = i + 2;
    if ((c == '>' || c == ')') && inside-- == 0)
      return begin < i ? arguments.substr(begin, arguments.find_last_not_of(' ', i - 1) + 1 - begin) : "";
  }
  return {};
}

}  // namespace

std::string enclosing_function(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find(" [clone"));
  for (const std::string_view part : {".cold", ".part.", ".isra.", ".constprop."})  // of names like "main"
    if (symbol.find("::") == std::string_view::npos) symbol = symbol.substr(0, symbol.find(part));
  if (symbol.starts_with("_Z"))
    if (std::string name = function_in_mangled(symbol.substr(2)); !name.empty()) return name;
  if (const std::size_t lambda = first_lambda(symbol); lambda != std::string_view::npos) {
    symbol = without_end(without_end(symbol.substr(0, lambda), " const"), " volatile");
    symbol.remove_prefix(begin_of_name(symbol, symbol.size()));
  }
  const std::string_view body = loop_body(symbol);
  return body.empty() ? std::string(symbol) : "skua::parallel_for of " + std::string(body);
}

bool is_thief_of_loop(std::string_view symbol) {
  return symbol.find("skua::detail::thief_of_loop<") != std::string_view::npos ||
         symbol.starts_with("_ZN4skua6detail13thief_of_loopI");
}

bool is_of_libraries(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find_first_of("<("));
  symbol.remove_prefix(symbol.rfind(' ') + 1);  // the result of a template; npos + 1 is 0
  return symbol.starts_with("std::") || symbol.starts_with("skua::");
}

// The byte before, because a call that is a function's last instruction returns to the next function.
std::string call_site_name(symbols& known, std::uint64_t return_address) {
  return enclosing_function(known.function_at(return_address == 0 ? 0 : return_address - 1));
}

}  // namespace skua::core
