// Results of parallel calls: the storage into which a thief writes a result, and the aggregate that a join returns.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace skua {

/// The results of a join of two callables, without void ones. It is an aggregate, so it is returned in registers. Use
/// it with `auto [a, b] = ...`; it converts to a std::tuple.
template <class... T>
struct results;

template <class A>
struct results<A> {
  A first;
  operator std::tuple<A>() && { return std::tuple<A>(std::forward<A>(first)); }
};

template <class A, class B>
struct results<A, B> {
  A first;
  B second;
  operator std::tuple<A, B>() && { return std::tuple<A, B>(std::forward<A>(first), std::forward<B>(second)); }
};

namespace detail {

struct nothing {};

template <class R>
using non_void = std::conditional_t<std::is_void_v<R>, nothing, R>;

/// Calls f and turns a void result into `nothing`.
template <class F, class... Args>
[[gnu::always_inline]] inline auto call(F&& f, Args&&... args) -> non_void<std::invoke_result_t<F, Args...>> {
  if constexpr (std::is_void_v<std::invoke_result_t<F, Args...>>) {
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    return nothing{};
  } else {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

/// Storage for a result that may never be created. A reference is stored as a pointer.
template <class R>
class result_box {
  using stored = std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, std::remove_cv_t<R>>;
  static_assert(std::is_nothrow_destructible_v<stored>,
                "the destructor of a result must not throw: skua destroys results that nothing takes");

 public:
  result_box() noexcept {}
  ~result_box() {}
  template <class F>
  void emplace_from(F&& f) {
    if constexpr (std::is_reference_v<R>) {
      auto&& referred = static_cast<R>(f());
      ::new (static_cast<void*>(&value_)) stored(std::addressof(referred));
    } else
      ::new (static_cast<void*>(&value_)) stored(f());
  }
  R take() {
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R>(*value_);
    } else {
      struct destroy_after {
        stored& value;
        ~destroy_after() { value.~stored(); }
      } guard{value_};
      return std::move(value_);
    }
  }
  void destroy() noexcept { std::destroy_at(&value_); }
  /// For code that creates the result without its type.
  void* address() noexcept { return &value_; }

 private:
  union {
    stored value_;
  };
};

template <>
class result_box<nothing> {
 public:
  template <class F>
  void emplace_from(F&& f) {
    f();
  }
  nothing take() { return {}; }
  void destroy() noexcept {}
};

/// The results of two callables. A and B are given, because T and T&& could not be told apart by deduction.
template <class A, class B>
[[gnu::always_inline]] inline auto pack(std::type_identity_t<A>&& a, std::type_identity_t<B>&& b) {
  if constexpr (std::is_same_v<std::remove_reference_t<A>, nothing> &&
                std::is_same_v<std::remove_reference_t<B>, nothing>)
    return;
  else if constexpr (std::is_same_v<std::remove_reference_t<A>, nothing>)
    return results<B>{std::forward<B>(b)};
  else if constexpr (std::is_same_v<std::remove_reference_t<B>, nothing>)
    return results<A>{std::forward<A>(a)};
  else
    return results<A, B>{std::forward<A>(a), std::forward<B>(b)};
}

}  // namespace detail
}  // namespace skua

namespace std {
template <class... T>
struct tuple_size<skua::results<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class A>
struct tuple_element<0, skua::results<A>> {
  using type = A;
};
template <class A, class B>
struct tuple_element<0, skua::results<A, B>> {
  using type = A;
};
template <class A, class B>
struct tuple_element<1, skua::results<A, B>> {
  using type = B;
};
}  // namespace std

namespace skua {
template <std::size_t Index, class... T>
constexpr std::tuple_element_t<Index, results<T...>>& get(results<T...>& r) noexcept {
  if constexpr (Index == 0)
    return r.first;
  else
    return r.second;
}
template <std::size_t Index, class... T>
constexpr const std::tuple_element_t<Index, results<T...>>& get(const results<T...>& r) noexcept {
  if constexpr (Index == 0)
    return r.first;
  else
    return r.second;
}
template <std::size_t Index, class... T>
constexpr std::tuple_element_t<Index, results<T...>>&& get(results<T...>&& r) noexcept {
  if constexpr (Index == 0)
    return std::forward<std::tuple_element_t<0, results<T...>>>(r.first);
  else
    return std::forward<std::tuple_element_t<1, results<T...>>>(r.second);
}
}  // namespace skua
