// Whether sorts may copy an element in place of moving it.
#pragma once

#include <type_traits>

namespace skua::detail {

template <class T>
inline constexpr bool copied_freely =
    std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>;

}  // namespace skua::detail
