// The name or number somebody probably meant, for sentences about bad input.
//
//   nearest_name("croe", {{"package", "core", "pu"}})   // "core"
//   nearest_number("5000x", 1, 4096, 8)                 // 4096
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skua::detail {

/// The allowed name with the fewest edits (insert, delete, replace, swap two neighbours; the rest of an
/// unfinished name is one; case counts for nothing); the first of several; empty where nothing is allowed.
/// O(|input| |name|) a name.
std::string_view nearest_name(std::string_view input, std::span<const std::string_view> allowed);

/// The allowed number nearest to the one that the text begins with; `otherwise` where it begins with none.
std::int64_t nearest_number(std::string_view text, std::int64_t least, std::int64_t most,
                            std::int64_t otherwise);

/// "a", "a or b", "a, b or c".
std::string list_of_names(std::span<const std::string_view> names);

}  // namespace skua::detail
