// Text escaped for HTML and XML, in elements and in attributes.
#pragma once

#include <string>
#include <string_view>

namespace skua::base {

inline std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n')
          safe += c;  // XML allows no other control characters
    }
  }
  return safe;
}

}  // namespace skua::base
