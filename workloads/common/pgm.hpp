// Reads and writes 8-bit grey pictures in the PGM format (Netpbm), binary (P5) or text (P2).
//
//   workloads::grey_picture p = workloads::read_pgm("camera.pgm");
//   workloads::write_output("edges.pgm", workloads::pgm_text(p));
//
// Reading throws skua::bad_input with the file, the line and what was expected. Only the first picture of a file is
// read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

namespace workloads {

struct grey_picture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;  // row by row
};

inline constexpr std::size_t pgm_longest_side = 65536;

/// Reads the numbers of a PGM file and keeps track of the line number.
class pgm_reader {
 public:
  explicit pgm_reader(const std::string& name) : name_(name) {
    std::ifstream file(name, std::ios::binary);
    file.peek();  // a directory can be opened but not read
    if (!file.is_open() || file.bad()) throw skua::bad_input(name + " cannot be read; expected: a PGM file");
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  grey_picture read() {
    const bool binary = bytes_.starts_with("P5");
    if (!binary && !bytes_.starts_with("P2")) fail("P5 or P2, as a PGM file begins");
    at_ = 2;
    grey_picture picture;
    picture.width = number("the width, 1 to 65536", 1, pgm_longest_side);
    picture.height = number("the height, 1 to 65536", 1, pgm_longest_side);
    const std::size_t white = number("the value of white, 1 to 255", 1, 255);
    const std::size_t size = picture.width * picture.height;
    if (binary) {
      if (at_ == bytes_.size() || !is_blank(bytes_[at_])) fail("a blank before the pixels");
      count_line();
      const std::size_t left = bytes_.size() - at_;
      if (left < size) fail(std::to_string(size) + " bytes of pixels, found " + std::to_string(left));
      const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
      picture.pixels.assign(first, first + static_cast<std::ptrdiff_t>(size));
      if (*std::ranges::max_element(picture.pixels) > white) fail("no pixel above " + std::to_string(white));
    } else {
      if (bytes_.size() - at_ < 2 * size) fail(std::to_string(size) + " pixels");
      const std::string wanted = "a pixel, 0 to " + std::to_string(white);
      picture.pixels.resize(size);
      for (std::uint8_t& pixel : picture.pixels) pixel = static_cast<std::uint8_t>(number(wanted, 0, white));
    }
    return picture;
  }

 private:
  static bool is_blank(char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; }

  /// Steps over one character.
  void count_line() {
    if (bytes_[at_++] == '\n') ++line_;
  }
  void skip_blanks() {
    for (bool comment = false; at_ < bytes_.size(); count_line()) {
      const char c = bytes_[at_];
      if (c == '#') comment = true;
      if (c == '\n') comment = false;
      if (!comment && !is_blank(c)) return;
    }
  }

  std::size_t number(std::string_view wanted, std::size_t min, std::size_t max) {
    skip_blanks();
    std::size_t value = 0, digits = 0;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && digits < 9; ++at_, ++digits)
      value = 10 * value + static_cast<std::size_t>(bytes_[at_] - '0');
    if (digits == 0 || value < min || value > max) fail(wanted);
    return value;
  }

  [[noreturn]] void fail(std::string_view wanted) const {
    throw skua::bad_input(name_ + ", line " + std::to_string(line_) + "; expected: " + std::string(wanted));
  }

  std::string name_, bytes_;
  std::size_t at_ = 0, line_ = 1;
};

inline grey_picture read_pgm(const std::string& name) { return pgm_reader(name).read(); }

/// The content of a binary PGM file.
inline std::string pgm_text(const grey_picture& picture) {
  return "P5\n" + std::to_string(picture.width) + ' ' + std::to_string(picture.height) + "\n255\n" +
         std::string(picture.pixels.begin(), picture.pixels.end());
}

}  // namespace workloads
