// A callable that carries data for its fork. A call is forwarded to the wrapped callable.
#pragma once

#include <type_traits>
#include <utility>

namespace skua::detail {

/// F is a reference type when the callable was given as an lvalue.
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
