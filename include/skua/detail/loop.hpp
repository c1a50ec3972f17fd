// Loops that split lazily: the owner runs from the front, and a thief takes half of the remaining iterations from the
// back.
//
// One join record stands for all iterations that the owner has not begun. So each iteration can be stolen from the
// start, and a loop costs one fork instead of one for each chunk. A part of a loop is in one of two states:
//   private   only the owner sees it; claiming a chunk is a store and a load
//   shared    its record became public; owner and thief claim from one word by compare-and-swap
// The thread that publishes the record changes the state (src/core/queue/shared_records.cpp). This is the owner itself, or a thief
// that takes private work by force. Such a thief first interrupts the owner's claims.
//
// A program contains little code for each loop: a short loop without thieves, and a function that runs positions. The
// library calls this function for all other cases (src/core/loops/loop.cpp), a call for each chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include <skua/detail/exceptions.hpp>
#include <skua/detail/result.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/detail/work_span.hpp>
#include <skua/join.hpp>

namespace skua::detail {

/// The claims of one part of a loop with positions 0 .. size-1. Checked by tests/model/loop_range_test.cpp.
template <class P>
class loop_claims {
  template <class T>
  using atomic = typename P::template atomic<T>;

 public:
  explicit loop_claims(std::uint32_t size) : size_(size) {
    P::quietly(next_).store(0, std::memory_order_relaxed);
    P::quietly(end_).store(size, std::memory_order_relaxed);
    P::quietly(shared_).store(not_shared, std::memory_order_relaxed);
  }

  std::uint32_t size() const noexcept { return size_; }

  /// Owner, while private: claims up to position `end`. False when the part is or becomes shared, see settle().
  bool claim_private(std::uint32_t end) noexcept { return claim_private(end, size_); }
  /// As above, with the size in a register of the caller.
  bool claim_private(std::uint32_t end, std::uint32_t size) noexcept {
    P::quietly(next_).store(end, std::memory_order_relaxed);
    P::light_fence();
    return P::quietly(end_).load(std::memory_order_relaxed) == size;
  }

  /// Owner, after claim_private(end) returned false: true when the claim is valid nevertheless. Then the part is shared, or
  /// the thief has taken its interruption back and the part is still private.
  bool settle(std::uint32_t end) noexcept {
    while (shared_.load(std::memory_order_acquire) == not_shared) {
      if (P::quietly(end_).load(std::memory_order_relaxed) == size_) return true;
      P::light_fence();
    }
    return boundary_.load(std::memory_order_relaxed) == end;
  }

  /// Thief that holds the record: stops private claims. False when the part is shared already. heavy_fence() must
  /// follow.
  bool interrupt() noexcept {
    if (shared_.load(std::memory_order_relaxed) != not_shared) return false;
    end_.store(interrupted, std::memory_order_relaxed);
    return true;
  }

  /// Thief, after the kernel refused its fence after interrupt(): lets the owner claim in private again.
  void resume() noexcept {
    if (shared_.load(std::memory_order_relaxed) == not_shared) end_.store(size_, std::memory_order_relaxed);
  }

  bool is_shared() const noexcept {
    return P::quietly(shared_).load(std::memory_order_relaxed) != not_shared;
  }

  /// Owner, or thief after its fence: from now on all claims are made in the shared word. Further calls do nothing.
  void share() noexcept {
    if (shared_.load(std::memory_order_relaxed) != not_shared) return;
    const std::uint32_t begun = next_.load(std::memory_order_relaxed);
    end_.store(interrupted, std::memory_order_relaxed);
    boundary_.store(begun, std::memory_order_relaxed);
    shared_.store(pack(begun, size_), std::memory_order_release);  // partner: settle
  }

  struct piece {
    std::uint32_t first, last;
    explicit operator bool() const noexcept { return first < last; }
  };

  /// Owner, after the part is shared: claims up to `max` positions from the front.
  piece claim_front(std::uint32_t max) noexcept {
    std::uint64_t word = shared_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t next = first_of(word), end = last_of(word);
      if (next >= end) return {0, 0};
      const std::uint32_t stop = end - next > max ? next + max : end;
      if (shared_.compare_exchange_weak(word, pack(stop, end), std::memory_order_relaxed,
                                        std::memory_order_relaxed))
        return {next, stop};
    }
  }

  /// Owner, when all positions are claimed: how many it has run. The others are behind them.
  std::uint32_t run_by_owner() const noexcept {
    const std::uint64_t word = P::quietly(shared_).load(std::memory_order_relaxed);
    return word == not_shared ? size_ : last_of(word);
  }

  /// For the thread that has shared the part: the positions that claim_back would take.
  piece back_half(std::uint32_t grain = 1) const noexcept {
    const std::uint64_t word = shared_.load(std::memory_order_relaxed);
    const std::uint32_t next = first_of(word), end = last_of(word);
    return next < end ? piece{middle_of(next, end, grain), end} : piece{0, 0};
  }

  /// Thief: claims the back half of the remaining positions, the larger half. The thief has claimed the record, so it
  /// sees all writes from before the record became public. The rest is a multiple of the grain, as all claims from the
  /// front are.
  piece claim_back(std::uint32_t grain = 1) noexcept {
    std::uint64_t word = shared_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t next = first_of(word), end = last_of(word);
      if (next >= end) return {0, 0};
      const std::uint32_t middle = middle_of(next, end, grain);
      if (shared_.compare_exchange_weak(word, pack(next, middle), std::memory_order_relaxed,
                                        std::memory_order_relaxed))
        return {middle, end};
    }
  }

 private:
  static constexpr std::uint64_t not_shared = ~std::uint64_t{0};
  static constexpr std::uint32_t interrupted = ~std::uint32_t{0};
  static std::uint32_t middle_of(std::uint32_t next, std::uint32_t end, std::uint32_t grain) noexcept {
    return next + (end - next) / 2 / grain * grain;
  }
  static std::uint64_t pack(std::uint32_t first, std::uint32_t last) noexcept {
    return (std::uint64_t{first} << 32) | last;
  }
  static std::uint32_t first_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
  }
  static std::uint32_t last_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }

  const std::uint32_t size_;
  atomic<std::uint32_t> next_;      // the owner's private claims end here
  atomic<std::uint32_t> end_;       // size_ while private
  atomic<std::uint32_t> boundary_;  // value of next_ when the part became shared
  atomic<std::uint64_t> shared_;
};

using loop_share = loop_claims<host_atomics>;

/// The leftmost exception of a loop, and its position.
class loop_fate {
 public:
  bool stops(std::uint64_t position) const noexcept {
    return position > stop_.load(std::memory_order_relaxed);
  }
  SKUA_API void keep(std::uint64_t position) noexcept;  // stores the exception that is being handled
  void rethrow() {
    if (thrown_) [[unlikely]]
      std::rethrow_exception(std::move(thrown_));
  }

 private:
  std::atomic<std::uint64_t> stop_{(std::numeric_limits<std::uint64_t>::max)()};
  std::atomic<int> guard_{0};
  std::exception_ptr thrown_;

 public:
  std::uint64_t name = 0;  // of the loop, on a simulated machine that measures (strand.hpp)
};

/// How the library handles the results of a loop with a result.
struct result_functions {
  std::size_t size, alignment;
  void (*identity)(void* body, void* to);                // constructs the initial value
  void (*combine)(void* body, void* left, void* right);  // into `left`; destroys `right`
  void (*destroy)(void* value) noexcept;
};

/// What the library calls for the body of a loop. There is one constant for each type of bodies.
struct loop_functions {
  /// Runs positions first .. last-1 of the whole loop, in order, and combines their results with `acc`.
  void (*run)(void* body, void* acc, std::uint64_t first, std::uint64_t last);
  /// The code of the loop's records. Its address also identifies the loop's thieves in reports (thief_site).
  fork_code help;
  const result_functions* results;  // null: the loop has no result
};

/// A thief's part of a loop.
SKUA_API void help_loop(void* frame, task_context& w);

/// A function for each type of bodies, so that reports tell the thieves of different loops apart.
template <class Body>
struct thief_of_loop {
  static void help(void* frame, task_context& w) { help_loop(frame, w); }
};

/// What the parts of one loop share.
struct loop_run : loop_fate {
  loop_run(const loop_functions& functions, std::uint32_t min, void* of_body = nullptr) noexcept
      : code(functions), body(of_body), grain(min) {}
  const loop_functions& code;
  void* body;
  const std::uint32_t grain;

  /// The call site of the forks by which a thief offers its positions to other thieves.
  const void* thief_site() const noexcept {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(code.help) + 1);
  }
};

/// A part of a loop, in the stack frame of the thread that runs it.
class loop_part : public loop_share {
 public:
  static constexpr std::uintptr_t tags = loop_tag;
  using run_of = loop_run;

  /// `room` is memory for the result of a thief; null if the loop has no result.
  loop_part(loop_run& all, std::uint64_t base, std::uint32_t size, void* room)
      : loop_share(size), all_(all), base_(base), room_(room) {}

  /// Runs the part and combines the results of thieves in order. Does not throw exceptions of the body. `from` is the
  /// loop's call site.
  void run(task_context& w, void* acc, std::uintptr_t frame_tags, const void* from);

  /// As run(), without a record for thieves.
  void run_alone(task_context& w, void* acc, const void* from);

  /// As run(), for a short loop: `one(i)` runs a position. Each claim is one iteration, and the clock is not read. No
  /// position lies before this part, so it is never stopped.
  template <class One>
  [[gnu::always_inline]] inline void run_short(task_context& w, void* acc, std::uint32_t n, One one) {
    slot* const s = w.own_top();
    auto done = run_so_far::nothing;
    if (w.push(s, reinterpret_cast<void*>(all_.code.help), with_tags(static_cast<loop_share*>(this), tags)))
        [[unlikely]]
      done = push_slowly(w, s, acc);
    if (done == run_so_far::nothing) run_singly(acc, n, one);
    if (done != run_so_far::all && !w.pop(s) && !w.reclaim(s)) [[unlikely]]
      gather(w, s, acc);
  }

  /// Thief: claims positions, counted from the part's first one.
  piece claim_for_thief(task_context& w);
  loop_run& all() const noexcept { return all_; }
  std::uint64_t base() const noexcept { return base_; }
  void* room() const noexcept { return room_; }

 private:
  enum class run_so_far : std::uint8_t { nothing, own_positions, all };
  /// Whether the chunks of a loop are reported to its work and span, or measured as well.
  enum class chunks : std::uint8_t { plain, told, measured };

  template <class One>
  [[gnu::always_inline]] inline void run_singly(void* acc, std::uint32_t n, One one) {
    std::uint32_t i = 0;
    SKUA_TRY {
      for (; i < n; ++i) {
        if (!claim_private(i + 1, n)) [[unlikely]]
          return run_shared(acc, i, i + 1);
        one(i);
      }
    }
    SKUA_CATCH { all_.keep(i); }
  }

  /// The slow path of the push. It also runs positions on a simulated machine, and when work and span are recorded.
  /// Returns which positions have been run.
  SKUA_API run_so_far push_slowly(task_context& w, slot* s, void* acc);
  run_so_far push_slowly_from(task_context& w, slot* s, void* acc, const void* from);
  /// Runs the positions that are left when the claim of first .. last-1 failed.
  SKUA_API void run_shared(void* acc, std::uint32_t first, std::uint32_t last);
  SKUA_API void gather(task_context& w, slot* s, void* acc);
  void run_told(void* acc, loop_work_span* told);
  template <chunks How>
  void run_chunks(void* acc, loop_work_span* told);
  template <chunks How>
  void run_shared_chunks(void* acc, std::uint32_t first, std::uint32_t last, loop_work_span* told);
  struct known_body;
  template <chunks How>
  void run_claimed(known_body body, void* acc, std::uint64_t first, std::uint64_t last, loop_work_span* told);
  void run_measured(void* acc, std::uint64_t first, std::uint64_t last);
  piece claim_next(std::uint32_t next, std::uint32_t max) noexcept;

  loop_run& all_;
  const std::uint64_t base_;
  void* const room_;
};

/// The program itself claims and runs the positions of loops up to this length, one by one. That takes less time than one
/// call for each chunk: a position of a sum takes 2.3 ns, a call takes 4 ns, and a chunk is at most a sixteenth of the rest.
inline constexpr std::uint64_t longest_short_loop = 64;

/// Runs positions 0 .. size-1 of a loop and constructs the result at `result`, which is null for a loop without one.
/// The result is not valid if `all` keeps an exception.
SKUA_API void run_long_loop(task_context& w, loop_run& all, std::uint64_t size, void* result);

/// The functions of a loop with a result. `Body` is a view (references and numbers) with these members:
///   value                                   a movable type
///   value identity() const
///   void run(value& acc, first, last)       positions of the whole loop, in order
///   void run_one(value& acc, position)
///   void combine(value& left, value&& right)
template <class Body>
class functions_of {
  using value = typename Body::value;
  static Body& body_at(void* body) noexcept { return *static_cast<Body*>(body); }
  static void run(void* body, void* acc, std::uint64_t first, std::uint64_t last) {
    body_at(body).run(*static_cast<value*>(acc), first, last);
  }
  static void identity(void* body, void* to) { ::new (to) value(body_at(body).identity()); }
  static void destroy(void* at) noexcept { static_cast<value*>(at)->~value(); }
  static void combine(void* body, void* left, void* right) {
    struct destroy_after {
      void* at;
      ~destroy_after() { destroy(at); }
    } guard{right};
    body_at(body).combine(*static_cast<value*>(left), std::move(*static_cast<value*>(right)));
  }
  static constexpr result_functions results{sizeof(value), alignof(value), &identity, &combine, &destroy};

 public:
  static constexpr loop_functions functions{&run, &thief_of_loop<Body>::help, &results};
};

/// As run_long_loop(), and runs a short loop here. `body` is the body of `all`.
template <class Body>
[[gnu::always_inline]] inline auto run_loop(task_context& w, Body& body, loop_run& all, std::uint64_t size) ->
    typename Body::value {
  result_box<typename Body::value> room;
  if (size > longest_short_loop || all.grain != 1) {
    run_long_loop(w, all, size, room.address());
    return room.take();
  }
  auto acc = body.identity();
  loop_part part(all, 0, static_cast<std::uint32_t>(size), room.address());
  Body here = body;  // a copy that thieves cannot see, so that it stays in registers
  part.run_short(w, &acc, static_cast<std::uint32_t>(size),
                 [&](std::uint64_t at) __attribute__((always_inline)) { here.run_one(acc, at); });
  return acc;
}

/// The number of workers of this worker's scheduler.
SKUA_API std::size_t worker_count(const task_context& w) noexcept;

/// Checks a grain from a user; 0 means that skua chooses. Throws bad_input.
SKUA_API std::uint32_t checked_grain(std::int64_t grain);

}  // namespace skua::detail
