// Directories and files for the word count. Links are left out; unreadable directories and files are recorded. No
// scheduling.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace workloads {

using file_path = std::filesystem::path;

/// The directories and regular files in one directory. Symbolic links, devices and sockets are left out.
struct listing {
  bool readable = false;
  std::vector<file_path> directories, files;
};

inline listing list_directory(const file_path& directory) {
  listing found;
  std::error_code failed;
  std::filesystem::directory_iterator at(directory, failed);
  for (const std::filesystem::directory_iterator end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;  // the entry usually knows its type, so no system call for each file
    if (at->is_symlink(unknown)) continue;
    if (at->is_directory(unknown)) found.directories.push_back(at->path());
    if (at->is_regular_file(unknown)) found.files.push_back(at->path());
  }
  found.readable = !failed;
  return found;
}

/// A change of this shows that a file was changed.
struct file_stamp {
  std::uintmax_t size = 0;
  std::filesystem::file_time_type modified = {};
  bool operator==(const file_stamp&) const = default;
};

inline file_stamp stamp_of(const file_path& file) {
  std::error_code unknown;
  return {std::filesystem::file_size(file, unknown), std::filesystem::last_write_time(file, unknown)};
}

/// Every regular file below `directory`, and every directory that cannot be listed; sorted by path.
using file_stamps = std::map<std::string, file_stamp>;
inline void stamp_files(const file_path& directory, file_stamps& stamps) {
  const listing here = list_directory(directory);
  if (!here.readable) stamps[directory.native()] = {};
  for (const file_path& file : here.files) stamps[file.native()] = stamp_of(file);
  for (const file_path& inner : here.directories) stamp_files(inner, stamps);
}

}  // namespace workloads
