// A file that a command writes when it is done, opened before anything is run, so that no time is lost on what cannot
// be written.
#pragma once

#include <fstream>
#include <functional>
#include <string>

namespace skua::cli {

class page_file {
 public:
  /// Of no path nothing is written. Throws bad_input where it cannot be.
  explicit page_file(const std::string& path);
  void write(const std::function<std::string()>& text);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace skua::cli
