// Regions whose shape the program knows: the upper part of the recursion is spread over domains, and each subtree below
// it stays in one domain.
//
//   skua::shaped({.input_bytes = 8 * n, .branching = 2}, [&] { sort(v.begin(), v.end()); });
//   skua::join(skua::inter(left), skua::inter(right));          // the program itself marks inter-domain tasks
//   skua::shaped(skua::learn("heat.rows"), [&] { sweep(); });   // the first run measures, later runs use the result
//
// A region has an effect under a policy with two tiers (`bitier`) on a machine of several domains. The body is level 1
// of a recursion, and the joins of a task of level L create tasks of level L + 1. On entry the region gets a boundary
// level. Tasks above and at the boundary level are inter-domain: they go to the pool of their domain, the heads of the
// domains take them from there, and a domain runs one of them at a time. Tasks below the boundary level are
// intra-domain: they stay in the domain that runs their ancestor at the boundary, so that shared data stay in one
// cache. Under every other policy, or with boundary level 0, a region only calls its body.
//
// Under `bitier(spread)` an inter-domain task goes to the pool of the domain for which it is meant: the first half of a region is
// meant for the first half of the domains, and so on. So each domain runs the same part of a region that is repeated.
//
// - Parameters: region_shape or learnt_shape; a callable without arguments.
// - Cost: about 60 nanoseconds for a join above the boundary, nothing for a join below it. Space: with
//   continuation::free at most max(K, M * N) stacks for K tasks at the boundary and M domains of N workers, and one
//   spare stack for each worker.
// - The body runs at once, on the caller's stack. Its result is returned and its exception is thrown. Loops and groups
//   in a region are distributed over all domains when they begin above the boundary. Below it they stay in the domain.
// - A region inside an intra-domain task has no effect, because the domain is already chosen.
// - A task that has its domain to itself may wait for something other than its children (a mutex, a group). If it is
//   above the boundary level it releases the domain while it waits. At or below the boundary level it does not. But if
//   no task runs in the domain for a tenth of a second, another inter-domain task may start there.
// - Throws: bad_input for a branching below 2 or a name that is not allowed; also what the body throws.
// Thread-safety: any thread may enter a region.
// Paper: CAB, bi-tier stealing; `inter` is its inter_spawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <skua/declare.hpp>
#include <skua/detail/result.hpp>
#include <skua/join.hpp>
#include <skua/region_shape.hpp>
#include <skua/sequence.hpp>

namespace skua {

/// Marks a callable of a join. If one callable of a join is marked, all of them become inter-domain tasks at any level.
template <class F>
detail::inter_call<F> inter(F&& f) {
  return {{std::forward<F>(f)}};
}

/// The name of a shape that the first run of its region measures. The shape is stored in the process, and in the file
/// that SKUA_LEARNT names, so that the next process knows it. The bytes are those that the tasks of the region's joins
/// and loops declare (declare.hpp). Declarations of group tasks are ignored, because such tasks may outlive the region.
struct learnt_shape {
  std::string name;
};
/// Makes a learnt_shape. Throws bad_input for a name that is empty or contains blanks. A file that is damaged or of another
/// version of skua is ignored, with one line on stderr.
SKUA_API learnt_shape learn(std::string_view name);

/// What the first run of a region has measured.
struct learnt_region {
  std::size_t input_bytes = 0;  // distinct bytes
  std::size_t branching = 2;    // children of a task
  std::uint32_t depth = 1;      // the deepest level that ran a task
  /// Bytes that the tasks of each level declared; the region's body has level 1. Bytes that are declared several times
  /// are counted several times.
  sequence<std::uint64_t> bytes_by_level = {};
};
/// The measurements of a learnt region; none if it has not run.
SKUA_API std::optional<learnt_region> learnt(std::string_view name);

namespace detail {

SKUA_API void run_shaped(task_context& w, const region_shape& shape, void (*code)(void*, task_context&),
                         void* data);
SKUA_API void run_learning(task_context& w, const learnt_shape& shape, void (*code)(void*, task_context&),
                           void* data);
SKUA_API void check_shape(const region_shape& shape);

template <class Run, class F>
decltype(auto) through_region(Run run, F& f) {
  auto call_f = [&f]([[maybe_unused]] task_context& w) -> decltype(auto) { return call_with(f, w); };
  using result = decltype(call_f(std::declval<task_context&>()));
  if constexpr (std::is_void_v<result>) {
    auto enter = [&](task_context& w) {
      run(
          w, [](void* data, task_context& inside) { (*static_cast<decltype(call_f)*>(data))(inside); },
          &call_f);
    };
    return on_worker(enter);
  } else {
    struct frame {
      decltype(call_f)& code;
      result_box<result> box;
    } here{call_f, {}};
    auto enter = [&](task_context& w) {
      run(
          w,
          [](void* data, task_context& inside) {
            auto& self = *static_cast<frame*>(data);
            self.box.emplace_from([&]() -> result { return self.code(inside); });
          },
          &here);
    };
    on_worker(enter);
    return here.box.take();
  }
}

}  // namespace detail

/// Runs f() as a region of this shape. Throws bad_input for a branching below 2 or a negative number.
template <class F>
decltype(auto) shaped(const region_shape& shape, F&& f) {
  detail::check_shape(shape);
  return detail::through_region([&](task_context& w, void (*code)(void*, task_context&),
                                    void* data) { detail::run_shaped(w, shape, code, data); },
                                f);
}

/// Runs f() as a region whose shape the first run measures: the depth of its forks, the number of children of a task,
/// and the bytes that its tasks declare.
template <class F>
decltype(auto) shaped(const learnt_shape& shape, F&& f) {
  return detail::through_region([&](task_context& w, void (*code)(void*, task_context&),
                                    void* data) { detail::run_learning(w, shape, code, data); },
                                f);
}

}  // namespace skua
