// Regions whose shape the program knows: which part of the recursion is spread over domains, and which stays in one.
//
//   skua::shaped({.input_bytes = 8 * n, .branching = 2}, [&] { sort(v.begin(), v.end()); });
//   skua::join(skua::inter(left), skua::inter(right));          // inter-domain by the program's own word
//   skua::shaped(skua::learn("heat.rows"), [&] { sweep(); });   // the first run measures, later ones use it
//
// What it does, under a policy with two tiers (`bitier`) on a machine of several domains: the body is level 1 of a
// recursion, and the joins of a task of level L make tasks of level L + 1. The region gets a boundary level when it is
// entered. Tasks down to it are inter-domain: they go to their domain's pool, from where the heads of the domains take
// them, and a domain runs one at a time. Tasks below it are intra-domain: they never leave the domain in which the task
// at the boundary runs, so that what they share stays in one cache. Under every other policy, or where the boundary level
// is 0, a region is its body and nothing else.
//
// - Cost: a join above the boundary some 60 nanoseconds, one below it nothing. Space: in the free form at most
//   max(K, M * N) stacks for K tasks at the boundary, M domains of N workers, and
//   one more at hand for each worker.
// - The body runs at once, on this stack, and its result is returned, its exception thrown. Loops and groups in a region
//   are shared out among all domains as long as they are begun above the boundary, and stay in the domain below it.
// - A region inside an intra-domain task changes nothing: its domain is chosen already.
// - A task that waits for something else than its children while it has its domain to itself (a mutex, a group) gives the
//   domain up meanwhile, unless it is at the boundary or below; should then nobody in the domain run anything for a tenth
//   of a second, another inter-domain task may start there.
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
#include <vector>

#include <skua/declare.hpp>
#include <skua/detail/result.hpp>
#include <skua/join.hpp>
#include <skua/region_shape.hpp>

namespace skua {

/// For join: both callables become inter-domain tasks, whatever the level, if one of them is `inter`.
template <class F>
detail::inter_call<F> inter(F&& f) {
  return {{std::forward<F>(f)}};
}

/// A shape to be measured by the first run of its region, by name. Kept in the process; and in the file that SKUA_LEARNT
/// names, so that the next process knows it. Bytes are those that the region's joins and loops declare (declare.hpp);
/// tasks of groups, which may outlive the region, are not listened to.
struct learnt_shape {
  std::string name;
};
/// Throws bad_input for a name that is empty or has blanks, or a file that cannot be read.
SKUA_API learnt_shape learn(std::string_view name);

/// What the first run of a region has seen.
struct learnt_region {
  std::size_t input_bytes = 0;  // distinct ones
  std::size_t branching = 2;
  std::uint32_t depth = 1;  // the deepest level that ran a task
  /// Declared by the tasks of each level, the region's body being of level 1; the same bytes as often as declared.
  std::vector<std::uint64_t> bytes_by_level = {};
};
/// What is known of a learnt region, if it has run.
SKUA_API std::optional<learnt_region> learnt(std::string_view name);

namespace detail {

SKUA_API void run_shaped(task_context& w, const region_shape& shape, void (*code)(void*, task_context&),
                         void* data);
SKUA_API void run_learning(task_context& w, const learnt_shape& shape, void (*code)(void*, task_context&),
                           void* data);
SKUA_API void check_shape(const region_shape& shape);

template <class Run, class F>
decltype(auto) through_region(Run run, F& f) {
  auto call_f = [&f](task_context& w) -> decltype(auto) { return call_with(f, w); };
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

/// Runs f() as a region of this shape. Throws bad_input for a branching below 2.
template <class F>
decltype(auto) shaped(const region_shape& shape, F&& f) {
  detail::check_shape(shape);
  return detail::through_region([&](task_context& w, void (*code)(void*, task_context&),
                                    void* data) { detail::run_shaped(w, shape, code, data); },
                                f);
}

/// Runs f() as a region whose shape the first run measures: how deep it forks, how many children a task has, and the
/// bytes that its tasks declare.
template <class F>
decltype(auto) shaped(const learnt_shape& shape, F&& f) {
  return detail::through_region([&](task_context& w, void (*code)(void*, task_context&),
                                    void* data) { detail::run_learning(w, shape, code, data); },
                                f);
}

}  // namespace skua
