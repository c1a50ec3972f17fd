// Small files that users name.
#pragma once

#include <string>

namespace skua::base {

/// The content of a regular file of at most 64 MB. Throws bad_input otherwise; `allowed` says what the file should be.
std::string text_of_file(const std::string& path, const char* allowed);

}  // namespace skua::base
