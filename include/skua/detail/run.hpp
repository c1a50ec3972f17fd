// How a thread enters a scheduler.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <skua/detail/export.hpp>
#include <skua/detail/result.hpp>
#include <skua/detail/task_context.hpp>

namespace skua::detail {

class scheduler_impl;
struct SKUA_API scheduler_deleter {
  void operator()(scheduler_impl*) const noexcept;
};

/// Calls code(data, worker) on this thread as one of the scheduler's workers.
SKUA_API void run_in(scheduler_impl& pool, void (*code)(void*, task_context&), void* data);

template <class F>
decltype(auto) run_in(scheduler_impl& pool, F&& f) {
  auto call_f = [&f]([[maybe_unused]] task_context& w) -> decltype(auto) {
    if constexpr (std::is_invocable_v<F&>)
      return f();
    else
      return f(w);
  };
  using result = std::invoke_result_t<decltype(call_f)&, task_context&>;
  if constexpr (std::is_void_v<result>) {
    run_in(pool, [](void* data, task_context& w) { (*static_cast<decltype(call_f)*>(data))(w); }, &call_f);
  } else {
    struct frame {
      decltype(call_f)& code;
      result_box<result> box;
    } here{call_f, {}};
    run_in(
        pool,
        [](void* data, task_context& w) {
          auto& self = *static_cast<frame*>(data);
          self.box.emplace_from([&]() -> result { return self.code(w); });
        },
        &here);
    return here.box.take();
  }
}

}  // namespace skua::detail
