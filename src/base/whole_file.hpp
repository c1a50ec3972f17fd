// Files that are complete or absent: if the process is killed, even while it writes, the old file stays as it was.
//
//   if (!can_be_written(path)) throw ...;     // before hours of work, and leaves nothing behind
//   if (!write_whole(path, text)) ...;        // writes a temporary file and renames it
//
// A pipe, /dev/stdout or a link is written in place.
#pragma once

#include <string>

namespace skua::base {

bool can_be_written(const std::string& path);
/// Replaces the file. False if that fails.
bool write_whole(const std::string& path, const std::string& text);

}  // namespace skua::base
