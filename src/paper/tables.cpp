#include "paper/tables.hpp"

#include <algorithm>
#include <cctype>

namespace skua::paper {

std::string columns_of(const text_rows& rows, const column_layout& layout) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  widths[0] = std::min(widths[0], layout.first_max);
  for (std::size_t i = layout.texts; i < widths.size(); ++i)
    widths[i] = std::max(widths[i], layout.number_min);
  std::string text;
  for (const auto& row : rows) {
    std::string line(layout.indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string room(widths[i] - std::min(widths[i], row[i].size()), ' ');
      line += (i > 0 ? "  " : "") + (i < layout.texts ? row[i] + room : room + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string markdown_table(const text_rows& rows, std::size_t texts) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "|";
    for (const std::string& cell : rows[i]) text += " " + cell + " |";
    text += "\n";
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[i].size(); ++column) text += column < texts ? "|---" : "|---:";
    text += "|\n";
  }
  return text;
}

std::string markdown_cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\' || c == '|' || c == '*' || c == '_' || c == '`' || c == '<' || c == '[') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string slug(std::string_view text) {
  std::string safe;
  for (const char c : text)
    safe += std::isalnum(static_cast<unsigned char>(c))
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  return safe;
}

}  // namespace skua::paper
