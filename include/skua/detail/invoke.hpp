// Calls as std::invoke makes them: the body of a loop may be a pointer to a member of its elements.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

namespace skua::detail {

/// std::invoke, without its many calls in a build that is not optimised.
template <class F, class... Args>
[[gnu::always_inline]] inline decltype(auto) invoke(F& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cv_t<F>>)
    return std::invoke(f, std::forward<Args>(args)...);
  else
    return f(std::forward<Args>(args)...);
}

}  // namespace skua::detail
