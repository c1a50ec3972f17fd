// Text of at most 100 columns, how a report names a call site, and which call sites are one to a reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/wrapped_text.hpp"
#include "observe/run_record.hpp"

namespace skua::reports {

using base::columns;
using base::width;
using base::wrapped;

/// At most `max` characters; a longer text loses its middle.
std::string shortened(std::string_view text, std::size_t max);

/// Columns as wide as their widest cell, the first left-aligned, the others right-aligned. Lines begin with two spaces. A
/// first column that is too wide for 100 columns is shortened.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// The function's name and its line where it is known: "solve at solve.cpp:12". Else, of two calls in one function, each has
/// its return address as well: "solve at solver+0x41f2".
inline std::string distinct_name(const observe::call_site_record& site,
                                 const std::vector<observe::call_site_record>& all) {
  if (!site.line.empty()) return site.name + " at " + site.line;
  const auto alike = [&site](const observe::call_site_record& other) {
    return other.name == site.name && other.kind == site.kind;
  };
  return std::ranges::count_if(all, alike) > 1 ? site.name + " at " + site.address : site.name;
}
inline std::string distinct_name(const observe::lock_record& lock,
                                 const std::vector<observe::lock_record>& all) {
  if (!lock.line.empty()) return lock.name + " at " + lock.line;
  return std::ranges::count(all, lock.name, &observe::lock_record::name) > 1
             ? lock.name + " at " + lock.address
             : lock.name;
}

/// Makes one of the call sites, and of the locks, that have the same function, line and kind: the compiler may have turned one call
/// into several. The call site with most of the span stays first.
void merge_equal_lines(observe::run_record& run);

/// Turns "a::(anonymous namespace)::solve(double, matrix const&) const" into "a::solve(...) const".
inline std::string without_arguments(std::string name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
  const std::size_t end = name.rfind(')');
  if (end == std::string::npos) return name;
  std::size_t begin = end;
  for (int inside = 0;; --begin) {
    if (name[begin] == ')') ++inside;
    if (name[begin] == '(' && --inside == 0) break;
    if (begin == 0) return name;
  }
  const std::string_view arguments = std::string_view(name).substr(begin, end + 1 - begin);
  if (arguments == "()") return name;
  return name.replace(begin, end + 1 - begin, "(...)");
}

}  // namespace skua::reports
