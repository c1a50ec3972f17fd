// Parts of refusals: the name or number that the user probably meant, and what is allowed.
//
//   nearest_name("croe", {{"package", "core", "pu"}})   // "core"
//   nearest_name("foo", {{"package", "core", "pu"}})    // "", since no name is similar
//   or_nearest("5000x", 1, 4096)                        // "; nearest: 4096"
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <skua/topology.hpp>

#include "base/for_simulator.hpp"

namespace skua::base {

/// The number of edits that make b of a: insert, delete, replace, swap two neighbours. Case is ignored. O(|a| |b|).
std::size_t edits(std::string_view a, std::string_view b);

/// The allowed name with the fewest edits, where the rest of an unfinished name counts as one edit. The first of several;
/// empty if each needs more edits than half of the letters of the input, because such a name is probably not the one that was
/// meant. O(|input| |name|) for each name.
std::string_view nearest_name(std::string_view input, std::span<const std::string_view> allowed);

/// The end of a refusal: "; nearest: core", or nothing if there is no nearest name.
SKUA_FOR_SIMULATOR std::string or_nearest(std::string_view input, std::span<const std::string_view> allowed);

/// As above: the allowed number nearest to the one that the text means, as in "-5", "1.5", "1e3" or, with one wrong character,
/// "3x". Nothing if it means another kind of thing, as "many", "1G" or "0x10" do.
SKUA_FOR_SIMULATOR std::string or_nearest(std::string_view text, std::int64_t min, std::int64_t max);

/// The value, or bad_input: "radix is 1; allowed: 2 to 4096; nearest: 2".
template <std::integral T>
T in_range(std::string_view name, T value, std::type_identity_t<T> min, std::type_identity_t<T> max) {
  if (value >= min && value <= max) return value;
  throw bad_input(std::string(name) + " is " + std::to_string(value) + "; allowed: " + std::to_string(min) +
                  " to " + std::to_string(max) + "; nearest: " + std::to_string(std::clamp(value, min, max)));
}

/// "a", "a or b", "a, b or c".
SKUA_FOR_SIMULATOR std::string list_of_names(std::span<const std::string_view> names);

}  // namespace skua::base
