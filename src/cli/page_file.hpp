// A file that a command writes when it is done, tried before anything is run, so that no time is lost on what cannot
// be written. Whoever stops the command finds what stood there.
#pragma once

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
};

}  // namespace skua::cli
