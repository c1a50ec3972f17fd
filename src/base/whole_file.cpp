#include "base/whole_file.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

#include <skua/topology.hpp>

namespace skua::base {

namespace {

namespace fs = std::filesystem;

/// In the same folder, since a rename is atomic only there. No other process uses this name.
std::string beside(const std::string& path) {
  return path + "." + std::to_string(std::random_device()()) + ".part";
}

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream to(path, std::ios::binary);
  to << text;
  to.close();
  return !to.fail();
}

bool can_be_made(const std::string& path) {
  const bool made = std::ofstream(path).is_open();
  std::error_code ignored;
  if (made) fs::remove(path, ignored);
  return made;
}

}  // namespace

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

bool can_be_written(const std::string& path) {
  std::error_code ignored;
  const bool link = fs::is_symlink(path, ignored);
  const fs::file_type type = fs::status(path, ignored).type();
  if (type == fs::file_type::not_found && !link) return !path.empty() && can_be_made(beside(path));
  // Opening a pipe waits for its reader, and closing it would end the reader's input.
  if (type == fs::file_type::fifo) return true;
  const bool opened = std::ofstream(path, std::ios::app).is_open();
  if (opened && type == fs::file_type::not_found) fs::remove(fs::canonical(path, ignored), ignored);
  return opened;
}

bool write_whole(const std::string& path, const std::string& text) {
  std::error_code error;
  const fs::file_status there = fs::symlink_status(path, error);
  const bool is_file = there.type() == fs::file_type::regular;
  if (!is_file && there.type() != fs::file_type::not_found) return write_text(path, text);
  const std::string part = beside(path);
  // A folder may forbid new files and still allow writing to this one.
  if (is_file && !can_be_made(part)) return write_text(path, text);
  bool written = write_text(part, text);
  if (written && is_file) fs::permissions(part, there.permissions(), error);
  if (written) fs::rename(part, path, error);
  written = written && !error;
  if (!written) fs::remove(part, error);
  return written;
}

}  // namespace skua::base
