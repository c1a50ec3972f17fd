// Reads text files line by line and word by word. Any error throws skua::bad_input with the file, the line and what was
// expected.
//
//   workloads::line_reader lines("options.txt");
//   while (lines.next()) {
//     const auto n = lines.number<long>("a number of options", 1, 1000);
//     lines.end();
//   }
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "workloads/common/text_file.hpp"

namespace workloads {

class line_reader {
 public:
  explicit line_reader(const std::string& file) : file_(file) {}

  /// Goes to the next line that is not blank; false at the end of the file.
  bool next() {
    const bool any = file_.next_filled(line_);
    words_ = text_words(any ? line_ : std::string_view());
    return any;
  }
  /// The line's next word; empty at its end.
  std::string_view word() { return words_.next(); }
  /// The next word as a number from `min` to `max`.
  template <class T>
  T number(std::string_view expected, T min, T max) {
    const std::string_view text = word();
    T value{};
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stopped != text.data() + text.size() || !(value >= min && value <= max))
      refuse(std::string(expected), text);
    return value;
  }
  void end() {
    if (!words_.at_end()) refuse("the end of the line", words_.rest());
  }
  [[noreturn]] void refuse(const std::string& expected, std::string_view found) const {
    file_.refuse(expected, found.empty() ? "nothing" : "'" + std::string(found.substr(0, 50)) + "'");
  }
  [[noreturn]] void refuse_end(const std::string& expected) const { file_.refuse_end(expected); }

 private:
  text_file file_;
  std::string line_;
  text_words words_{{}};
};

}  // namespace workloads
