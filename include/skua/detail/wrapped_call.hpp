// A callable that carries something for the fork it is given to, and is called as what it wraps.
#pragma once

#include <type_traits>
#include <utility>

namespace skua::detail {

/// F is a reference where an lvalue was given.
template <class F>
struct wrapped_call {
  F callable;
  template <class... Args>
    requires std::is_invocable_v<F&, Args...>
  [[gnu::always_inline]] decltype(auto) operator()(Args&&... args) {
    return callable(std::forward<Args>(args)...);
  }
};

}  // namespace skua::detail
