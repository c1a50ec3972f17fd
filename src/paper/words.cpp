#include "paper/words.hpp"

#include <fmt/core.h>

#include <cctype>
#include <cmath>

namespace skua::paper {

std::string short_number(double number) {
  if (std::isnan(number)) return "not defined";
  const double size = std::abs(number);
  if (size >= 1000 && size < 1e15) {  // whole, rounded to three digits
    const double unit = std::pow(10, std::floor(std::log10(size)) - 2);
    return fmt::format("{:.0f}", std::round(number / unit) * unit);
  }
  return fmt::format("{:.3g}", number);
}

std::string with_band(double median, double min, double greatest) {
  return fmt::format("{} [{}, {}]", short_number(median), short_number(min), short_number(greatest));
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
