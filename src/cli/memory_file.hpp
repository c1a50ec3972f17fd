// A file in no folder, into which another process writes: nothing is left behind if one of the two is killed.
#pragma once

#include <string>

namespace skua::cli {

class memory_file {
 public:
  /// Throws std::system_error if there is no memory.
  memory_file();
  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// Its name in processes that this one starts.
  std::string name() const;
  std::string text() const;

 private:
  int memory_;
};

}  // namespace skua::cli
