#include "base/list_text.hpp"

#include <cstddef>

namespace skua::base {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      depth += (text[i] == '(') - (text[i] == ')');
      if (text[i] != ',' || depth != 0) continue;
    }
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

std::vector<std::string> list_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split_at_commas(text))
    if (!part.empty()) parts.emplace_back(part);
  return parts;
}

std::string_view name_before_parenthesis(std::string_view text) {
  return trimmed(text.substr(0, text.find('(')));
}

}  // namespace skua::base
