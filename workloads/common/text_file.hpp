// Text files that a workload reads line by line. Error messages name the file and the line.
//
//   workloads::text_file file("a.tri");                      // throws skua::bad_input if it cannot be read
//   for (std::string line; file.next(line);)
//     if (line.empty()) file.refuse("a row and a column");    // "a.tri:3: expected a row and a column"
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <skua/topology.hpp>

namespace workloads {

class text_file {
 public:
  explicit text_file(const std::string& name) : name_(name), file_(name) {
    if (file_) file_.peek();  // a directory can be opened but not read
    if (file_.bad() || !file_.is_open())
      throw skua::bad_input(name + " cannot be read; expected the name of a file");
    file_.clear();
  }

  /// Reads the next line, without a carriage return at its end.
  bool next(std::string& line) {
    if (!std::getline(file_, line)) return false;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    ++line_;
    return true;
  }

  /// Reads the next line that is not blank.
  bool next_filled(std::string& line) {
    while (next(line))
      if (line.find_first_not_of(" \t") != std::string::npos) return true;
    return false;
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found = "") const {
    std::string message = name_ + ":" + std::to_string(line_) + ": expected " + expected;
    throw skua::bad_input(found.empty() ? message : message + ", found " + found);
  }
  /// A character of the text, as it appears in `found`.
  static std::string shown(char c) {
    const unsigned code = static_cast<unsigned char>(c);
    return code > 32 && code < 127 ? std::string("'") + c + "'" : "a byte of value " + std::to_string(code);
  }
  /// For something that is missing after the last line.
  [[noreturn]] void refuse_end(const std::string& expected) const {
    throw skua::bad_input(name_ + " ends after line " + std::to_string(line_) + ": expected " + expected);
  }

 private:
  std::string name_;
  std::ifstream file_;
  std::size_t line_ = 0;
};

/// The words of a line, one after another.
class text_words {
 public:
  explicit text_words(std::string_view line) : rest_(line) {}

  /// Empty at the end.
  std::string_view next() {
    const std::size_t first = std::min(rest_.find_first_not_of(" \t"), rest_.size());
    const std::size_t last = std::min(rest_.find_first_of(" \t", first), rest_.size());
    const std::string_view word = rest_.substr(first, last - first);
    rest_.remove_prefix(last);
    return word;
  }
  /// Reads a word that is a number. Returns false if it is not one or does not fit into the type.
  template <class T>
  bool number(T& value) {
    const std::string_view word = next();
    const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && stopped == word.data() + word.size();
  }
  /// The rest of the line, from the next word on.
  std::string_view rest() const {
    return rest_.substr(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }
  bool at_end() const { return rest_.find_first_not_of(" \t") == std::string_view::npos; }

 private:
  std::string_view rest_;
};

}  // namespace workloads
