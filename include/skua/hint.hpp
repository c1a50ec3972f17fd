// Hints: bytes that a task carries for the stealing policy.
//
//   struct rank { int value; };                                        // any trivially copyable type, any size
//   skua::join(left, skua::hinted(rank{3}, right));                    // a hint on the task that may be stolen
//   tasks.run(skua::hinted(skua::affinity{0, 9}, f), x);               // the task prefers worker 1
//   skua::parallel_for(0, n, body, skua::loop{.hint = [](auto first, auto last) { return rank{int(last - first)}; }});
//
// - A thief sees the hint of the task that a steal would take (thief::peek). Its confirm predicate may refuse that
//   task. skua itself gives no meaning to a hint, with one exception: skua::priority, when a scheduler runs its own
//   tasks by priority.
// - Cost: two words in the frame of a hinted fork. The bytes are copied when the task becomes public. Up to 64 bytes
//   lie inline beside the queue's slot; larger hints lie in a block that the slot keeps. When there is no memory for
//   the block, the task has no hint.
// - The first callable of a join runs at once, so its hint is never read. A steal of half the queue keeps only the hint
//   of the join that the thief runs first; the other stolen joins lose their hints. Group tasks keep their hints.
// - The hint function of a loop receives the positions that a steal would take as std::int64_t. For iterators and tiles
//   they are counted from 0. The thread that makes the positions public calls the function, at any time while the loop
//   runs. If the function throws, the positions have no hint.
// - Throws: nothing of its own; hinted() throws what copying or moving the callable throws, and a hint object of more
//   than 64 bytes may throw std::bad_alloc.
// Thread-safety: a hint is a value; `as` returns a copy.
// Paper: user-defined stealing with hints (MassiveThreads).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <skua/detail/exceptions.hpp>
#include <skua/detail/ids.hpp>
#include <skua/sequence.hpp>

namespace skua {

/// Recursion depth of a task. The policy `depth_aware` steals the task with the smallest depth first.
struct depth {
  std::int64_t value;
};

/// Priority of a task. A scheduler whose own_order is `priority` runs the task with the largest value first.
struct priority {
  std::int64_t value;
};

/// How much a task prefers each worker. Element i is for worker i; workers beyond the last element have the value 0.
/// When the number of workers is known only at run time, use affinity<256>, or affinity_to for a single worker.
template <std::size_t N>
struct affinity {
  std::int32_t wants[N];
};
template <class... Wants>
affinity(Wants...) -> affinity<sizeof...(Wants)>;

/// How much a task prefers one worker. The value for all other workers is 0.
struct affinity_to {
  worker_id worker;
  std::int32_t wants = 1;
};

namespace detail {

template <class T>
constexpr std::uint64_t hash_of_name() {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : std::string_view(__PRETTY_FUNCTION__))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash | 1;  // 0: no hint
}
/// Identifies a type of hints.
template <class T>
inline constexpr std::uint64_t hint_kind = hash_of_name<T>();
struct any_affinity;  // stands for affinity<N> of every N
template <std::size_t N>
inline constexpr std::uint64_t hint_kind<affinity<N>> = hash_of_name<any_affinity>();

template <class T>
concept hint_type = std::is_trivially_copyable_v<T> && std::is_object_v<T>;

/// Receives the bytes of a hint when the task becomes public.
class hint_sink {
 public:
  virtual void write(std::uint64_t kind, const void* bytes, std::size_t size) noexcept = 0;

 protected:
  ~hint_sink() = default;
};

/// The part of a frame that a hinted record points at. It writes the hint to a sink on request.
struct hint_source {
  void (*describe)(const hint_source& self, hint_sink& sink) noexcept;
};

template <hint_type H>
struct hint_value : hint_source {
  explicit hint_value(const H& value) noexcept
      : hint_source{[](const hint_source& self, hint_sink& sink) noexcept {
          sink.write(hint_kind<H>, &static_cast<const hint_value&>(self).hint, sizeof(H));
        }},
        hint(value) {}
  H hint;
};

/// A source that forwards to another source.
template <>
struct hint_value<const hint_source*> : hint_source {
  explicit hint_value(const hint_source* other) noexcept
      : hint_source{[](const hint_source& self, hint_sink& sink) noexcept {
          const hint_source* const said_by = static_cast<const hint_value&>(self).hint;
          said_by->describe(*said_by, sink);
        }},
        hint(other) {}
  const hint_source* hint;
};

/// A callable that carries data for its fork. A call is forwarded to the wrapped callable. F is a reference type when the
/// callable was given as an lvalue.
template <class F>
struct wrapped_call {
  F callable;
  template <class... Args>
    requires std::is_invocable_v<F&, Args...>
  [[gnu::always_inline]] decltype(auto) operator()(Args&&... args) {
    return callable(std::forward<Args>(args)...);
  }
};

template <class H, class F>
struct hinted_call : wrapped_call<F> {
  H hint;
};

template <class T>
inline constexpr bool is_hinted = false;
template <class H, class F>
inline constexpr bool is_hinted<hinted_call<H, F>> = true;

}  // namespace detail

/// Attaches a hint to `f`. Pass the result to join, task_group::run or another call that takes a callable.
template <detail::hint_type H, class F>
detail::hinted_call<H, F> hinted(const H& hint, F&& f) {
  return {{std::forward<F>(f)}, hint};
}

/// The hint of a task as a thief saw it. It is empty for a task without a hint.
class hint {
 public:
  static constexpr std::size_t inline_bytes = 64;

  hint() = default;
  template <detail::hint_type T>
    requires(!std::is_same_v<T, hint>)
  explicit hint(const T& value) {
    assign(detail::hint_kind<T>, std::as_bytes(std::span(&value, 1)));
  }

  /// The value when there is a hint and it has this type; else no value.
  template <detail::hint_type T>
  std::optional<T> as() const noexcept {
    if (kind_ != detail::hint_kind<T> || bytes().size() != sizeof(T)) return std::nullopt;
    std::array<std::byte, sizeof(T)> room;
    std::memcpy(room.data(), bytes().data(), sizeof(T));
    return std::bit_cast<T>(room);
  }
  /// Whether there is a hint.
  bool any() const noexcept { return kind_ != 0; }
  std::span<const std::byte> bytes() const noexcept {
    return size_ <= inline_bytes ? std::span(near_).first(size_) : std::span<const std::byte>(far_);
  }
  /// The value of an affinity hint for this worker; 0 for every other hint.
  std::int32_t wants(worker_id worker) const noexcept {
    if (const auto one = as<affinity_to>()) return one->worker == worker ? one->wants : 0;
    std::int32_t found = 0;
    const std::size_t at = worker * sizeof found;
    if (kind_ == detail::hint_kind<affinity<1>> && at < bytes().size())
      std::memcpy(&found, bytes().data() + at, sizeof found);
    return found;
  }

  /// For the core only.
  void assign(std::uint64_t kind, std::span<const std::byte> bytes) {
    if (bytes.size() > inline_bytes)
      far_.assign(bytes.begin(), bytes.end());
    else if (!bytes.empty())
      std::memcpy(near_.data(), bytes.data(), bytes.size());
    kind_ = kind;
    size_ = bytes.size();
  }

 private:
  std::uint64_t kind_ = 0;
  std::size_t size_ = 0;
  std::array<std::byte, inline_bytes> near_{};
  sequence<std::byte> far_;
};

/// The hint function of a loop: (first, last) -> hint for the positions that a steal would take. Empty by default.
class loop_hint {
 public:
  loop_hint() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, loop_hint>)
  loop_hint(F&& f)
      : code_(std::make_shared<std::decay_t<F>>(std::forward<F>(f))),
        describe_(
            [](const void* code, std::int64_t first, std::int64_t last, detail::hint_sink& sink) noexcept {
              SKUA_TRY {
                const auto value = (*static_cast<const std::decay_t<F>*>(code))(first, last);
                static_assert(detail::hint_type<std::remove_cvref_t<decltype(value)>>,
                              "a hint is trivially copyable");
                sink.write(detail::hint_kind<std::remove_cvref_t<decltype(value)>>, &value, sizeof value);
              }
              SKUA_CATCH {  // no hint: the caller may be any thread, in the middle of a steal
              }
            }) {}
  explicit operator bool() const noexcept {
    return code_ != nullptr;
  }  // false also after a move from this object
  void describe(std::int64_t first, std::int64_t last, detail::hint_sink& sink) const noexcept {
    describe_(code_.get(), first, last, sink);
  }

 private:
  std::shared_ptr<void> code_;
  void (*describe_)(const void*, std::int64_t, std::int64_t, detail::hint_sink&) noexcept = nullptr;
};

}  // namespace skua
