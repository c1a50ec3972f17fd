// A file that a command writes when it is done, tried before anything is run, so that no time is lost on what cannot
// be written. Whoever stops the command finds what stood there.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace skua::cli {

class page_file {
 public:
  /// Of no path nothing is written. Throws bad_input where it cannot be, or where the path has none of the endings of what
  /// it may hold; no endings: any.
  explicit page_file(const std::string& path, std::initializer_list<std::string_view> endings = {});
  void write(const std::function<std::string()>& text);

 private:
  std::string path_;
};

}  // namespace skua::cli
