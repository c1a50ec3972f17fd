#include "base/this_process.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>

namespace skua::base {

namespace {

std::string quoted(const std::string& argument) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string command_line() {
  std::ifstream from("/proc/self/cmdline", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
  std::string line;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    line += (line.empty() ? "" : " ") + quoted(all.substr(at, end - at));
    at = end + 1;
  }
  return line;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts));
}

}  // namespace skua::base
