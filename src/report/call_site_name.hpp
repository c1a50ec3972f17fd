// How a report calls a place in the program that forks.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

/// The function's name. Two calls in one function are told apart by where they return to: "solve at 0x41f2".
inline std::string call_site_name(const observe::call_site_record& site,
                                  const std::vector<observe::call_site_record>& all) {
  const auto alike = [&site](const observe::call_site_record& other) {
    return other.name == site.name && other.kind == site.kind;
  };
  return std::ranges::count_if(all, alike) > 1 ? site.name + " at " + site.address : site.name;
}

/// "a::solve(...) const" of "a::(anonymous namespace)::solve(double, matrix const&) const": what need not be read.
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
