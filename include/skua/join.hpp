// Fork and join: runs callables in parallel and returns their results. All other constructs build on it.
//
//   long fib(long n) {
//     if (n < 2) return n;
//     auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
//     return a + b;
//   }
//
// The first callable runs at once, on the caller's stack. The others wait in the worker's queue, where idle workers may
// steal them, the last callable first. The caller then runs those that were not stolen, in order.
//
// - Parameters: two or more callables; they may be move-only. Results are returned in order, without the void ones:
//   nothing when all are void, skua::results for two callables, std::tuple for more. References stay references.
// - A callable that can be called without an argument is called without one. Any other callable receives a task_context&.
// - Cost: a few nanoseconds for each fork that is not stolen; no allocation, no fence, no atomic read-modify-write.
//   Space: a suspended wait keeps its stack (see scheduler_options).
// - Exceptions: after all started callables have ended, join throws the exception of the leftmost callable that threw.
//   A callable that has not started when an earlier one throws never starts. A result whose destructor may throw does not
//   compile.
// - Do not hold a std::mutex across join. While this stack waits, the worker runs other tasks. If one of them locks the
//   same mutex, it blocks the worker that should release it. Use skua::mutex or skua::isolate (skua/sync.hpp) instead.
// - Thread-safety: any thread may call it. An external thread (one that is not a worker) takes a free worker
//   for the call. If tasks block all workers, it runs the call alone (skua/scheduler.hpp).
// - Addresses of thread_local variables stay valid over a join (unless continuation::free is chosen). Their values may
//   have changed, because other tasks may have run on the thread in the meantime.
// Paper: child stealing with private tasks, as in Lace (van Dijk and van de Pol, 2014); suspended waits as in
// MassiveThreads (Nakashima et al.).
#pragma once

#include <cstddef>
#include <exception>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skua/detail/result.hpp>
#include <skua/detail/strand.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/detail/work_span.hpp>
#include <skua/hint.hpp>

namespace skua {

namespace detail {

/// Calls f. Passes the task_context of the calling worker only when f needs an argument. So [](auto&&...) gets none, here
/// as in a group.
template <class F>
[[gnu::always_inline]] inline decltype(auto) call_with(F& f, task_context& w) {
  if constexpr (std::is_invocable_v<F&>)
    return f();
  else
    return f(w);
}
template <class F>
using result_with = decltype(call_with(std::declval<F&>(), std::declval<task_context&>()));

/// As call_with, but a void result becomes a value of type `nothing`.
template <class F>
[[gnu::always_inline]] inline non_void<result_with<F>> value_of(F& f, task_context& w) {
  if constexpr (std::is_void_v<result_with<F>>) {
    call_with(f, w);
    return {};
  } else {
    return call_with(f, w);
  }
}

template <class F>
constexpr bool fits_registers() {
  if constexpr (!std::is_object_v<F>)
    return false;
  else
    return std::is_trivially_copyable_v<F> && std::is_move_constructible_v<F> &&
           sizeof(F) <= 2 * sizeof(void*);
}

/// A small, trivially copyable temporary callable is passed in registers. Every other callable is passed by reference.
template <class F>
inline constexpr bool in_registers = fits_registers<F>();
template <class F>
using handed = std::conditional_t<in_registers<F>, F, F&>;
/// Forwards `f` with the value category that an F&& parameter received.
template <class F>
[[gnu::always_inline]] inline auto hand(std::remove_reference_t<F>& f) noexcept
    -> std::conditional_t<in_registers<F>, F&&, F&> {
  return static_cast<std::conditional_t<in_registers<F>, F&&, F&>>(f);
}

struct alignas(void*) aligned_as_pointers {};

/// The part of a fork that lies in the caller's frame: the callable or a reference to it, and room for its result. G is
/// the type from `handed`. The alignment keeps the lowest bits of the address free for tags, even for a callable of one
/// byte.
template <class G>
struct fork_frame : aligned_as_pointers {
  using result = non_void<result_with<G>>;
  G callable;
  [[no_unique_address]] result_box<result> value{};

  static void run(void* frame, task_context& runner) {
    auto* self = static_cast<fork_frame*>(frame);
    self->value.emplace_from([&]() -> result { return value_of(self->callable, runner); });
  }

  // The functions below find the frame through its record. Passing its address would cost the fast path a register.
  static fork_frame& of(const slot* s) noexcept {
    return *static_cast<fork_frame*>(s->frame.load(std::memory_order_relaxed));
  }

  /// Called when the first callable threw. Takes this sibling back, or waits for it and destroys its result.
  [[gnu::noinline, gnu::cold]] static void abandon(task_context& w, slot* s) noexcept {
    const work_span_pause here(w);
    abandon_in(w, s, of(s));
  }
  static void abandon_in(task_context& w, slot* s, fork_frame& self) noexcept {
    if (w.pop(s) || w.reclaim(s)) return;
    if (!w.finish(s)) self.value.destroy();
  }

  [[gnu::noinline, gnu::cold]] static result take_stolen(task_context& w, slot* s) {
    return take_stolen(w, s, of(s));
  }
  static result take_stolen(task_context& w, slot* s, fork_frame& self) {
    if (std::exception_ptr thrown = w.finish(s)) std::rethrow_exception(std::move(thrown));
    return self.value.take();
  }
};

/// Calls f. When f throws, the sibling must end before the frame does. An RAII guard costs nothing here; an exception
/// handler would.
template <class Frame, class F>
[[gnu::always_inline]] inline non_void<result_with<F>> call_first(task_context& w, slot* s, F& f) {
  using value = non_void<result_with<F>>;
  if constexpr (!std::is_reference_v<value> && !std::is_nothrow_move_constructible_v<value>) {
    // Moving the result may throw. So f constructs it in its final location, and the guard detects an exception itself.
    struct guard {
      task_context& w;
      slot* s;
      int exceptions = std::uncaught_exceptions();
      ~guard() {
        if (std::uncaught_exceptions() > exceptions) [[unlikely]]
          Frame::abandon(w, s);
      }
    } unless_returned{w, s};
    return call_with(f, w);
  }
  struct guard {
    task_context& w;
    slot* s;
    bool armed = true;
    [[gnu::always_inline]] inline ~guard() {
      if (armed) [[unlikely]]
        Frame::abandon(w, s);
    }
  } unless_done{w, s};
  if constexpr (std::is_void_v<result_with<F>>) {
    call_with(f, w);
    unless_done.armed = false;
    return {};
  } else {
    decltype(auto) result = call_with(f, w);
    unless_done.armed = false;
    return std::forward<decltype(result)>(result);
  }
}

/// All callables of a join except the last one, as one callable. It joins them, but all of them count as children of
/// the same task.
template <class F, unsigned Calls>
struct front_of_join {
  F join_them;
  [[gnu::always_inline]] decltype(auto) operator()(task_context& w) { return join_them(w); }
};
/// How many callables a callable joins in that way; 0 for any other.
template <class T>
inline constexpr unsigned front_calls = 0;
template <class F, unsigned Calls>
inline constexpr unsigned front_calls<front_of_join<F, Calls>> = Calls;

/// Destroys a result that nothing has taken. This happens when taking another result throws first.
template <class Box>
struct untaken {
  Box& box;
  bool there = true;
  ~untaken() {
    if (there) box.destroy();
  }
  decltype(auto) take() {
    there = false;
    return box.take();
  }
};
template <class Box>
untaken(Box&) -> untaken<Box>;

/// Runs both callables as inter-domain tasks. The caller owns the frame of the second one.
template <class F, class Fork>
[[gnu::noinline, gnu::cold]] auto fork_at_level(task_context& w, handed<F> f, Fork& second) {
  using first_of = fork_frame<handed<F>>;
  first_of first{{}, hand<F>(f)};
  forked done =
      w.fork_levels(&first_of::run, &first, &Fork::run, &second, front_calls<std::remove_cvref_t<F>>);
  if (done.thrown) {
    if (done.first) first.value.destroy();
    if (done.second) second.value.destroy();
    std::rethrow_exception(std::move(done.thrown));
  }
  untaken one{first.value};
  untaken other{second.value};
  return pack<typename first_of::result, typename Fork::result>(one.take(), other.take());
}

/// Runs a callable of a fork as a strand of its own.
template <class F>
struct child_strand {
  F& callable;
  beginning which;
  decltype(auto) operator()(task_context& w) const {
    const strand_here measured(which);
    return call_with(callable, w);
  }
};

/// As rest_of_fork, for a run that records work and span and for a simulated machine: it also marks where each callable
/// begins and ends.
template <class F, class Frame, class Fork, class Take>
[[gnu::noinline, gnu::cold]] auto fork_told(task_context& w, slot* s, fork_way way, handed<F>& f, Fork& fork,
                                            Take take_stolen) {
  fork_work_span told(w, way);
  child_strand<std::remove_reference_t<handed<F>>> child{f, beginning::first_child};
  using first_result = decltype(call_first<Frame>(w, s, child));
  using second_result = typename Fork::result;
  auto&& first = call_first<Frame>(w, s, child);
  told.first_ended();
  if (w.pop(s) || w.reclaim(s)) {
    told.second_begins();
    child_strand<std::remove_reference_t<decltype((fork.callable))>> other{fork.callable,
                                                                           beginning::second_child};
    return pack<first_result, second_result>(std::forward<decltype(first)>(first), value_of(other, w));
  }
  return pack<first_result, second_result>(std::forward<decltype(first)>(first), take_stolen());
}

/// A fork_frame whose callable carries a hint.
template <class G>
struct hinted_frame {
  using call = std::remove_reference_t<G>;
  hint_value<decltype(call::hint)> hint;
  fork_frame<G> fork;
  explicit hinted_frame(auto&& g) : hint(g.hint), fork{{}, std::forward<decltype(g)>(g)} {}

  void* tagged() noexcept { return with_tags(static_cast<hint_source*>(&hint), hint_tag); }
  static hinted_frame& of(void* tagged) noexcept {
    auto& source = *without_tags<hint_source>(tagged);
    return *reinterpret_cast<hinted_frame*>(&static_cast<hint_value<decltype(call::hint)>&>(source));
  }
  static hinted_frame& of(const slot* s) noexcept { return of(s->frame.load(std::memory_order_relaxed)); }
  static void run(void* tagged, task_context& runner) { fork_frame<G>::run(&of(tagged).fork, runner); }
  static void abandon(task_context& w, slot* s) noexcept {
    const work_span_pause here(w);
    fork_frame<G>::abandon_in(w, s, of(s).fork);
  }
};

/// Whether the name of a template instance for these callables contains the function that forks. It does for lambdas,
/// but not for function pointers and functors.
template <class... F>
consteval bool names_its_call_site() {
  return std::string_view(__PRETTY_FUNCTION__).find("lambda") != std::string_view::npos;
}
/// The call site that a report shows for a fork. Usually this is `from`, in the function that called fork_slowly. If
/// that function is an instance of fork_two whose name does not show the call site, it is the caller of the instance.
template <class F, class G>
[[gnu::always_inline]] inline const void* call_site_of_fork(const void* from,
                                                            const void* caller_of_copy) noexcept {
  return names_its_call_site<F, G>() || !caller_of_copy ? from : caller_of_copy;
}

/// The fork of a callable with a hint. It is slower than a plain fork.
template <class F, class G>
[[gnu::noinline]] auto fork_hinted(task_context& w, handed<F> f, handed<G> g,
                                   const void* caller_of_copy = nullptr) {
  using frame_of = hinted_frame<handed<G>>;
  frame_of frame(hand<G>(g));
  slot* const s = w.own_top();
  fork_way way = fork_way::plain;
  if (w.push(s, reinterpret_cast<void*>(&frame_of::run), frame.tagged()))
    way = w.slow_fork(s, call_site_of_fork<F, G>(__builtin_return_address(0), caller_of_copy));
  if (way == fork_way::levels) return fork_at_level<F>(w, hand<F>(f), frame.fork);
  if (way == fork_way::watched || time_is_virtual) [[unlikely]]
    return fork_told<F, frame_of>(w, s, way, f, frame.fork, [&]() -> decltype(auto) {
      return frame.fork.take_stolen(w, s, frame.fork);
    });
  using first_result = decltype(call_first<frame_of>(w, s, f));
  using second_result = typename fork_frame<handed<G>>::result;
  auto&& first = call_first<frame_of>(w, s, f);
  if (w.pop(s) || w.reclaim(s))
    return pack<first_result, second_result>(std::forward<decltype(first)>(first),
                                             value_of(frame.fork.callable, w));
  return pack<first_result, second_result>(std::forward<decltype(first)>(first),
                                           frame.fork.take_stolen(w, s, frame.fork));
}

/// The rest of a fork, after its record is pushed at `s`.
template <class F, class Frame>
[[gnu::always_inline]] inline auto rest_of_fork(task_context& w, slot* s, handed<F>& f, Frame& frame) {
  using first_result = decltype(call_first<Frame>(w, s, f));
  using second_result = typename Frame::result;
  auto&& first = call_first<Frame>(w, s, f);
  if (w.pop(s) || w.reclaim(s)) [[likely]] {
    return pack<first_result, second_result>(std::forward<decltype(first)>(first),
                                             value_of(frame.callable, w));
  }
  return pack<first_result, second_result>(std::forward<decltype(first)>(first), Frame::take_stolen(w, s));
}

/// The rest of a fork when another thread has requested this worker's attention. It is out of line as a whole, because
/// a call in the middle of the fast path would cost registers there.
template <class F, class G, class Frame>
[[gnu::noinline]] auto fork_slowly(task_context& w, slot* s, handed<F> f, Frame& frame,
                                   const void* caller_of_copy) {
  const fork_way way = w.slow_fork(s, call_site_of_fork<F, G>(__builtin_return_address(0), caller_of_copy));
  if (way == fork_way::levels) [[unlikely]]
    return fork_at_level<F>(w, hand<F>(f), frame);
  if (way == fork_way::watched || time_is_virtual) [[unlikely]]
    return fork_told<F, Frame>(w, s, way, f, frame,
                               [&]() -> decltype(auto) { return Frame::take_stolen(w, s); });
  return rest_of_fork<F>(w, s, f, frame);
}

/// The fork. Callables may take a task_context& as an argument.
template <class F, class G>
[[gnu::always_inline]] inline auto fork_here(task_context& w, handed<F> f, handed<G> g,
                                             const void* caller_of_copy = nullptr) {
  if constexpr (is_hinted<std::remove_cvref_t<G>>) {
    return fork_hinted<F, G>(w, hand<F>(f), hand<G>(g), caller_of_copy);
  } else {
    using frame_of = fork_frame<handed<G>>;
    static_assert(alignof(frame_of) > (loop_tag | hint_tag));
    frame_of frame{{}, hand<G>(g)};
    slot* const s = w.own_top();
    if (w.push(s, reinterpret_cast<void*>(&frame_of::run), &frame)) [[unlikely]]
      return fork_slowly<F, G>(w, s, hand<F>(f), frame, caller_of_copy);
    return rest_of_fork<F>(w, s, f, frame);
  }
}

/// The fork, not inlined. So a recursive function that forks stays small, and the compiler can inline its first part,
/// all before the fork, into fork_two. Most calls return in that part, and they then need no frame of a fork.
/// `make bench ARGS="--kernels fib"` prints the time of a fork.
template <class F, class G>
[[gnu::noinline]] auto fork_two(task_context& w, handed<F> f, handed<G> g) {
  return fork_here<F, G>(w, hand<F>(f), hand<G>(g), __builtin_return_address(0));
}

/// A callable that becomes an inter-domain task.
template <class F>
struct inter_call : wrapped_call<F> {};
template <class T>
inline constexpr bool is_inter = false;
template <class F>
inline constexpr bool is_inter<inter_call<F>> = true;
template <class F>
decltype(auto) as_inter(F& f) {
  if constexpr (is_inter<std::remove_cvref_t<F>>)
    return (f);
  else
    return inter_call<F&>{{f}};
}
template <class F, class G>
inline constexpr bool any_inter = is_inter<std::remove_cvref_t<F>> || is_inter<std::remove_cvref_t<G>>;

/// The fork of two callables, at least one of them marked `inter`. Both become inter-domain tasks.
template <class F, class G>
[[gnu::noinline]] auto fork_inter(task_context& w, handed<F> f, handed<G> g) {
  if (!w.has_tiers()) return fork_two<F, G>(w, hand<F>(f), hand<G>(g));
  fork_frame<handed<G>> second{{}, hand<G>(g)};
  return fork_at_level<F>(w, hand<F>(f), second);
}

template <class F, class G>
[[gnu::always_inline]] inline auto join_two(task_context& w, F&& f, G&& g) {
  if constexpr (any_inter<F, G>)
    return fork_inter<F, G>(w, hand<F>(f), hand<G>(g));
  else
    return fork_two<F, G>(w, hand<F>(f), hand<G>(g));
}

template <class R>
auto as_tuple(R&& r) {
  return std::tuple(std::forward<R>(r));
}
template <class... T>
std::tuple<T...> as_tuple(results<T...>&& r) {
  return std::move(r);
}
template <class... T>
std::tuple<T...> as_tuple(std::tuple<T...>&& r) {
  return std::move(r);
}

/// Calls f(task_context&) from an external thread; f may return a value. If f begins exactly one fork, loop or task,
/// `from` is its call site in the program, for a report. Otherwise `from` is null.
template <class F>
[[gnu::noinline, gnu::cold]] auto call_outside(F& f, const void* from = nullptr) {
  using result = std::invoke_result_t<F&, task_context&>;
  if constexpr (std::is_void_v<result>) {
    enter_default(f, from);
  } else {
    result_box<result> box;
    enter_default([&](task_context& w) { box.emplace_from([&]() -> result { return f(w); }); }, from);
    return box.take();
  }
}

/// Calls f(task_context&) on this thread's worker. An external thread enters the default scheduler for the call; `from`
/// as in call_outside.
template <class F>
[[gnu::always_inline]] inline auto on_worker(F&& f, const void* from = nullptr) {
  if (task_context* w = current) [[likely]]
    return f(*w);
  return call_outside(f, from);
}

}  // namespace detail

/// As join(f, g, ...), and a little faster: it uses `w` instead of looking up the calling worker. A callable may take a
/// task_context&. It must pass that one, and not `w`, to its own joins.
template <class F, class G>
[[gnu::always_inline]] inline auto join(task_context& w, F&& f, G&& g) {
  return detail::join_two(w, std::forward<F>(f), std::forward<G>(g));
}

template <class F, class G, class... More>
  requires(sizeof...(More) > 0)
auto join(task_context& w, F&& f, G&& g, More&&... more) {
  using detail::as_inter, detail::is_inter;
  constexpr std::size_t inter_calls =
      (std::size_t{0} + ... + is_inter<std::remove_cvref_t<More>>)+is_inter<std::remove_cvref_t<F>> +
      is_inter<std::remove_cvref_t<G>>;
  if constexpr (inter_calls != 0 && inter_calls != sizeof...(More) + 2)
    return join(w, as_inter(f), as_inter(g), as_inter(more)...);
  else
    // Left-nested, so that the last callable is the oldest record. So no callable starts here after an earlier one has
    // thrown.
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      auto all = std::forward_as_tuple(f, g, more...);
      constexpr std::size_t last = sizeof...(More) + 1;
      auto join_front = [&](task_context& inner) { return join(inner, std::get<Index>(all)...); };
      detail::front_of_join<decltype(join_front)&, last> front{join_front};
      auto& back = std::get<last>(all);
      using joined = decltype(detail::join_two(w, front, back));
      if constexpr (std::is_void_v<joined>) {
        detail::join_two(w, front, back);
      } else {
        using front_result = decltype(front(w));
        using back_result = detail::result_with<std::remove_reference_t<decltype(back)>>;
        auto both = detail::join_two(w, front, back);
        if constexpr (std::is_void_v<front_result>)
          return detail::as_tuple(std::move(both));
        else if constexpr (std::is_void_v<back_result>)
          return detail::as_tuple(std::move(both.first));
        else
          return std::tuple_cat(detail::as_tuple(std::move(both.first)),
                                std::tuple<back_result>(std::forward<back_result>(both.second)));
      }
    }(std::make_index_sequence<sizeof...(More) + 1>{});
}

namespace detail {

template <class F, class G>
[[gnu::noinline, gnu::cold]] auto fork_outside(handed<F> f, handed<G> g) {
  auto fork = [&](task_context& w) {
    if constexpr (any_inter<F, G>)
      return fork_inter<F, G>(w, hand<F>(f), hand<G>(g));
    else
      return fork_two<F, G>(w, hand<F>(f), hand<G>(g));
  };
  return call_outside(fork, __builtin_return_address(0));
}

}  // namespace detail

/// Runs the callables in parallel and returns their results; see the top of this file.
template <class F, class G>
  requires(!std::is_same_v<std::remove_cvref_t<F>, task_context>)
[[gnu::always_inline]] inline auto join(F&& f, G&& g) {
  // The two branches share no code, so that callables stay in registers.
  if (task_context* w = detail::current) [[likely]] {
    if constexpr (detail::any_inter<F, G>)
      return detail::fork_inter<F, G>(*w, detail::hand<F>(f), detail::hand<G>(g));
    else if constexpr (detail::in_registers<F> && detail::in_registers<G>)
      return detail::fork_two<F, G>(*w, detail::hand<F>(f), detail::hand<G>(g));
    else
      return detail::fork_here<F, G>(*w, detail::hand<F>(f), detail::hand<G>(g));
  }
  return detail::fork_outside<F, G>(detail::hand<F>(f), detail::hand<G>(g));
}

template <class F, class G, class... More>
  requires(!std::is_same_v<std::remove_cvref_t<F>, task_context> && sizeof...(More) > 0)
auto join(F&& f, G&& g, More&&... more) {
  return detail::on_worker([&](task_context& w) { return join(w, f, g, more...); });
}

}  // namespace skua
