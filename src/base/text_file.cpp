#include "base/text_file.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <skua/topology.hpp>

namespace skua::base {

std::string text_of_file(const std::string& path, const char* allowed) {
  constexpr std::uintmax_t max_bytes = std::uintmax_t{64} << 20;
  std::error_code failed;
  if (std::filesystem::is_regular_file(path, failed) &&
      std::filesystem::file_size(path, failed) <= max_bytes) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file) return text;
  }
  throw bad_input("'" + path + "' cannot be read; allowed: " + allowed);
}

}  // namespace skua::base
