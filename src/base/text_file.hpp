// Files that users name and that are small where they are what they should be.
#pragma once

#include <string>

namespace skua::base {

/// The whole of a regular file of 64 MB at most. Throws bad_input, where `allowed` says what it should have been.
std::string text_of_file(const std::string& path, const char* allowed);

}  // namespace skua::base
