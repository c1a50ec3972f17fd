#include "base/wrapped_text.hpp"

#include <algorithm>
#include <sstream>

namespace skua::base {

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrapped(std::string_view text, std::size_t indent, std::string_view mark) {
  std::istringstream words{std::string(text)};
  std::string all, line(indent - std::min(indent, mark.size()), ' '), word;
  line += mark;
  bool begun = false;
  while (words >> word) {
    if (begun && width(line) + 1 + width(word) > columns) {
      all += line + "\n";
      line.assign(indent, ' ');
      begun = false;
    }
    if (begun) line += ' ';
    // A word that is longer than a line is broken anywhere.
    while (line.size() + word.size() > columns && word.size() > columns - indent) {
      const std::size_t room = columns - line.size();
      all += line + word.substr(0, room) + "\n";
      word.erase(0, room);
      line.assign(indent, ' ');
    }
    line += word;
    begun = true;
  }
  return all + line + "\n";
}

}  // namespace skua::base
