// What commands write: JSON on standard output, and files.
#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace skua::cli {

/// File names may contain any bytes: those that are not UTF-8 are printed as replacement characters.
void print_json_text(const nlohmann::ordered_json& all, int indent = 2);

/// A file that a command writes at its end. The constructor checks that it can be written, before anything runs. A command
/// that is interrupted leaves the old file.
class page_file {
 public:
  /// An empty path: nothing is written. Throws bad_input where the file cannot be written, or where the path has none of
  /// these endings; no endings: any.
  explicit page_file(const std::string& path, std::initializer_list<std::string_view> endings = {});
  void write(const std::function<std::string()>& text);

 private:
  std::string path_;
};

/// Throws bad_input for a file that cannot be written, the value of this option.
void check_can_write(const std::string& option, const std::string& path);
/// Throws bad_input where it cannot be written.
void write_file(const std::string& option, const std::string& path, const std::string& text);

}  // namespace skua::cli
