// A file that a command writes when it is done, opened before anything is run, so that no time is lost on what cannot
// be written.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace skua::cli {

class page_file {
 public:
  /// Of no path nothing is written. Throws bad_input where it cannot be, or where the path has not the ending of what it is
  /// to hold.
  explicit page_file(const std::string& path, std::string_view ending = "");
  void write(const std::function<std::string()>& text);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace skua::cli
