// Files that are whole or not there: a process that is killed while it runs, or while it writes, leaves what stood there.
//
//   if (!can_be_written(path)) throw ...;     // before hours of work, and leaves nothing behind
//   if (!write_whole(path, text)) ...;        // beside it and then in its place
//
// What is no file of its own (a pipe, /dev/stdout, a link) is written as it is.
#pragma once

#include <string>

namespace skua::base {

bool can_be_written(const std::string& path);
/// In place of what was there. False where it cannot be.
bool write_whole(const std::string& path, const std::string& text);

}  // namespace skua::base
