// Whole files. A file that is written is complete or absent: if the process is killed, even while it writes, the old file
// stays as it was.
//
//   std::string text = text_of_file(path, "a file of machine distances");
//   if (!can_be_written(path)) throw ...;     // before hours of work, and leaves nothing behind
//   if (!write_whole(path, text)) ...;        // writes a temporary file and renames it
//
// A pipe, /dev/stdout or a link is written in place.
#pragma once

#include <string>

#include "base/for_simulator.hpp"

namespace skua::base {

/// The content of a regular file of at most 64 MB. Throws bad_input otherwise; `allowed` says what the file should be.
SKUA_FOR_SIMULATOR std::string text_of_file(const std::string& path, const char* allowed);

bool can_be_written(const std::string& path);
/// Replaces the file. False if that fails.
bool write_whole(const std::string& path, const std::string& text);

}  // namespace skua::base
