// Text files read line by line, word by word; whatever is wrong throws skua::bad_input with the file, the line and what
// was expected.
//
//   workloads::line_reader lines("options.txt");
//   while (lines.next()) {
//     const auto n = lines.number<long>("a number of options", 1, 1000);
//     lines.end();
//   }
#pragma once

#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <skua/topology.hpp>

namespace workloads {

class line_reader {
 public:
  explicit line_reader(const std::string& file) : file_(file), in_(file, std::ios::binary) {
    if (!in_) throw skua::bad_input("input '" + file + "' cannot be read; allowed: a text file");
  }

  /// Goes to the next line that is not blank; false at the end of the file.
  bool next() {
    while (std::getline(in_, line_)) {
      ++number_;
      rest_ = line_;
      skip_blanks();
      if (!rest_.empty()) return true;
    }
    rest_ = {};
    return false;
  }
  /// The line's next word; empty at its end.
  std::string_view word() {
    const std::size_t length = std::min(rest_.find_first_of(blanks), rest_.size());
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    skip_blanks();
    return found;
  }
  /// The next word as a number from `least` to `most`.
  template <class T>
  T number(std::string_view expected, T least, T most) {
    const std::string_view text = word();
    T value{};
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stopped != text.data() + text.size() || !(value >= least && value <= most))
      refuse(std::string(expected), text);
    return value;
  }
  void end() {
    if (!rest_.empty()) refuse("the end of the line", rest_);
  }
  [[noreturn]] void refuse(const std::string& expected, std::string_view found) const {
    throw skua::bad_input(file_ + ", line " + std::to_string(number_) + ": expected " + expected +
                          ", found " +
                          (found.empty() ? "nothing" : "'" + std::string(found.substr(0, 50)) + "'"));
  }
  [[noreturn]] void refuse_end(const std::string& expected) const {
    throw skua::bad_input(file_ + ", after line " + std::to_string(number_) + ": expected " + expected +
                          ", found the end of the file");
  }

 private:
  static constexpr std::string_view blanks = " \t\r";
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }

  std::string file_, line_;
  std::ifstream in_;
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace workloads
