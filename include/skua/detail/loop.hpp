// Loops that split lazily: the owner runs from the front, and a thief takes half of the remaining iterations from the
// back.
//
// One join record stands for all iterations that the owner has not begun. So each iteration can be stolen from the
// start, and a loop costs one fork instead of one for each chunk. A part of a loop is in one of two states:
//   private   only the owner sees it; claiming a chunk is a store and a load
//   shared    its record became public; owner and thief claim from one word by compare-and-swap
// The thread that publishes the record changes the state (src/core/stealing.cpp). This is the owner itself, or a thief
// that takes private work by force. Such a thief first interrupts the owner's claims.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <skua/detail/exceptions.hpp>
#include <skua/detail/strand.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/detail/work_span.hpp>
#include <skua/join.hpp>

#if !defined(__x86_64__) && !defined(__i386__)
#include <chrono>
#endif

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

  /// Thief, whose fence after interrupt() was refused: lets the owner go on in private.
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

/// A part of a loop with a hint for the positions that a steal would take now.
struct hinted_loop_share : loop_share, hint_source {
  hinted_loop_share(std::uint32_t size, const loop_hint* function, std::uint64_t first, std::uint32_t grain)
      : loop_share(size),
        hint_source{&describe_rest},
        function_(function),
        first_(first),
        grain_of_steals_(grain) {}

 private:
  static void describe_rest(const hint_source& self, hint_sink& sink) noexcept {
    const auto& part = static_cast<const hinted_loop_share&>(self);
    const piece back = part.back_half(part.grain_of_steals_);
    if (back)
      part.function_->describe(static_cast<std::int64_t>(part.first_ + back.first),
                               static_cast<std::int64_t>(part.first_ + back.last), sink);
  }
  const loop_hint* function_;
  std::uint64_t first_;  // position
  std::uint32_t grain_of_steals_;
};

/// The clock of a virtual thread.
SKUA_API std::uint64_t virtual_ticks() noexcept;

inline std::uint64_t ticks() noexcept {
  if (time_is_virtual) [[unlikely]]
    return virtual_ticks();
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) * 2;
#endif
}

/// Chooses the number of iterations of a chunk. A chunk takes about a microsecond: short enough that a thief never
/// waits long, and long enough that the cost of claiming is negligible. Chunks become smaller towards the end of the
/// loop.
class chunk_size {
 public:
  explicit chunk_size(std::uint32_t grain) noexcept : grain_(grain), size_(grain) {}

  std::uint32_t next(std::uint32_t left) noexcept {
    const std::uint32_t cap = (std::max)(grain_, left / 16 / grain_ * grain_);
    capped_ = cap <= size_;
    return (std::min)({size_, cap, left});
  }
  void done() noexcept {
    if (++chunks_ < 4) {
      size_ = grow(size_);
      return;
    }
    if (capped_ && cheap_)
      return;  // no measurement needed: chunks only become smaller from here on, and reading the clock costs 10 ns
    const std::uint64_t now = ticks();
    const std::uint64_t took = now - mark_;
    mark_ = now;
    if (chunks_ == 4) return;
    cheap_ = took < fast;
    if (cheap_)
      size_ = grow(size_);
    else if (took > slow)
      size_ = (std::max)(grain_, size_ / 2 / grain_ * grain_);
  }

 private:
  // Ticks of a few GHz. Chunks stop growing at about two microseconds. A chunk above about ten microseconds is halved.
  static constexpr std::uint64_t fast = 4'000;
  static constexpr std::uint64_t slow = 30'000;
  static std::uint32_t grow(std::uint32_t size) noexcept { return size > (1u << 28) ? size : size * 2; }

  std::uint32_t grain_;
  std::uint32_t size_;
  std::uint32_t chunks_ = 0;
  bool capped_ = false;
  bool cheap_ = false;
  std::uint64_t mark_ = 0;
};

/// The state that the parts of one loop share: the leftmost exception and its position.
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

/// Whether a body has the members `hint`, a const loop_hint*, and `start`, the number of its first position.
template <class Body>
inline constexpr bool has_hint = requires(const Body& body) { body.hint; };

/// A part of a loop, in the stack frame of the thread that runs it. `Body` is a view (references and numbers, cheap to
/// copy) with these members:
///   value                                   a movable type; identity() creates the initial value
///   value identity() const
///   void run(value& acc, first, last)       positions of the whole loop, in order
///   void run_one(value& acc, position)
///   void combine(value& left, value&& right)
template <class Body>
class loop_part : public std::conditional_t<has_hint<Body>, hinted_loop_share, loop_share> {
  using share = std::conditional_t<has_hint<Body>, hinted_loop_share, loop_share>;
  using piece = loop_share::piece;

 public:
  using value = typename Body::value;

  loop_part(const Body& body, loop_fate& fate, std::uint64_t base, std::uint32_t size, std::uint32_t grain)
    requires(!has_hint<Body>)
      : share(size), body_(body), fate_(fate), base_(base), grain_(grain) {}
  loop_part(const Body& body, loop_fate& fate, std::uint64_t base, std::uint32_t size, std::uint32_t grain)
    requires(has_hint<Body>)
      : share(size, body.hint, static_cast<std::uint64_t>(body.start) + base, grain),
        body_(body),
        fate_(fate),
        base_(base),
        grain_(grain) {}

  /// Runs the part and combines the results of thieves in order. Does not throw exceptions of the body.
  [[gnu::always_inline]] inline value run(task_context& w) {
    value acc = body_.identity();
    const std::uint32_t
        n = this->size(),
        grain = grain_;  // read before `this` escapes: known values let the compiler drop half the code
    slot* const s = w.own_top();
    auto done = run_so_far::nothing;
    if (w.push(s, reinterpret_cast<void*>(&loop_part::help),
               with_tags(static_cast<loop_share*>(this), has_hint<Body> ? loop_tag | hint_tag : loop_tag)))
        [[unlikely]]
      done = push_slowly(w, s, acc, n, grain);
    if (done == run_so_far::nothing) run_chunks<chunks::plain>(acc, n, grain, nullptr);
    if (done != run_so_far::all && !w.pop(s) && !w.reclaim(s)) [[unlikely]]
      gather(w, s, acc);
    return acc;
  }

 private:
  enum class run_so_far : std::uint8_t { nothing, own_positions, all };
  /// Whether the chunks of a loop are reported to its work and span, or measured as well.
  enum class chunks : std::uint8_t { plain, told, measured };

  /// The slow path of the push. It also runs positions when a simulated machine measures or work and span are recorded.
  /// Returns what has been run.
  [[gnu::noinline]] run_so_far push_slowly(task_context& w, slot* s, value& acc, std::uint32_t n,
                                           std::uint32_t grain) {
    if (time_is_virtual && fate_.name == 0) fate_.name = name_of_next(beginning::loop);
    if (w.slow_loop(s, __builtin_return_address(0), n, grain) == fork_way::watched) {
      loop_work_span told(w);
      run_told(acc, n, grain, &told);
      told.ran_all();
      if (!w.pop(s) && !w.reclaim(s)) gather(w, s, acc);
      return run_so_far::all;
    }
    if (!time_is_virtual || !measures()) return run_so_far::nothing;
    run_told(acc, n, grain, nullptr);
    return run_so_far::own_positions;
  }
  [[gnu::noinline, gnu::cold]] void run_told(value& acc, std::uint32_t n, std::uint32_t grain,
                                             loop_work_span* told) {
    if (!time_is_virtual || !measures()) return run_chunks<chunks::told>(acc, n, grain, told);
    const strand_pauses between_pieces;
    run_chunks<chunks::measured>(acc, n, grain, told);
  }

  /// Runs positions that have been claimed.
  template <chunks how>
  [[gnu::always_inline]] inline void run_claimed(Body& body, value& acc, std::uint64_t first,
                                                 std::uint64_t last, loop_work_span* told) {
    if constexpr (how != chunks::plain)
      if (told) told->runs();
    if constexpr (how == chunks::measured)
      run_measured(body, acc, first, last);
    else
      body.run(acc, first, last);
    if constexpr (how != chunks::plain)
      if (told) told->ran(last - first);
  }

  /// Runs the first position alone. If it begins other tasks, the others may do so too, and each is measured alone.
  /// Otherwise the others run together.
  [[gnu::noinline, gnu::cold]] void run_measured(Body& body, value& acc, std::uint64_t first,
                                                 std::uint64_t last) {
    bool only_computes = true;
    for (std::uint64_t at = first; at < last;) {
      const std::uint64_t end = at != first && only_computes ? last : at + 1;
      const strand_here positions(fate_.name, at, end - at);
      if (end - at == 1)
        body.run_one(acc, at);
      else
        body.run(acc, at, end);
      only_computes &= positions.has_only_computed();
      at = end;
    }
  }

  template <chunks how>
  [[gnu::always_inline]] inline void run_chunks(value& acc, std::uint32_t n, std::uint32_t grain,
                                                loop_work_span* told) {
    // Copies that thieves cannot see, so that they stay in registers.
    Body body = body_;
    const std::uint64_t base = base_;
    std::uint32_t i = 0;
    SKUA_TRY {
      if (n <= 16 && grain == 1 && base == 0) {
        // Too short to measure: each claim is one iteration, and the clock is not read. No position lies before the
        // first part, so it is never stopped.
        for (; i < n; ++i) {
          if (!this->claim_private(i + 1, n)) [[unlikely]]
            return run_shared<how>(acc, i, i + 1, told);
          if constexpr (how != chunks::plain)
            if (told) told->runs();
          if constexpr (how == chunks::measured)
            run_measured(body, acc, i, i + 1);
          else
            body.run_one(acc, i);
          if constexpr (how != chunks::plain)
            if (told) told->ran(1);
        }
      } else {
        chunk_size chunk(grain);
        while (i < n) {
          const std::uint32_t end = i + chunk.next(n - i);
          if (!this->claim_private(end, n)) [[unlikely]]
            return run_shared<how>(acc, i, end, told);
          if (fate_.stops(base + i)) return;
          run_claimed<how>(body, acc, base + i, base + end, told);
          i = end;
          chunk.done();
        }
      }
    }
    SKUA_CATCH { fate_.keep(base + i); }
  }

  template <chunks how>
  [[gnu::noinline]] void run_shared(value& acc, std::uint32_t first, std::uint32_t last,
                                    loop_work_span* told) {
    piece now{first, last};
    SKUA_TRY {
      chunk_size chunk(grain_);
      if (!this->settle(last)) now = this->claim_front(chunk.next(this->size() - first));
      while (now && !fate_.stops(base_ + now.first)) {
        run_claimed<how>(body_, acc, base_ + now.first, base_ + now.last, told);
        chunk.done();
        now = claim_next(now.last, chunk.next(this->size() - now.last));
      }
    }
    SKUA_CATCH { fate_.keep(base_ + now.first); }
  }

  /// Up to `max` positions after `next`, where the owner's last claim ended.
  piece claim_next(std::uint32_t next, std::uint32_t max) noexcept {
    if (this->is_shared()) return this->claim_front(max);
    // A thief's interruption was taken back: still private.
    const piece mine{next, next + max};
    return !mine || this->claim_private(mine.last) || this->settle(mine.last) ? mine : this->claim_front(max);
  }

  [[gnu::noinline, gnu::cold]] void gather(task_context& w, slot* s, value& acc) {
    // A thief's code may also throw outside of the body, when it moves or combines values.
    if (std::exception_ptr thrown = w.finish(s)) {
      SKUA_TRY { std::rethrow_exception(thrown); }
      SKUA_CATCH { fate_.keep(base_); }
      return;
    }
    body_.combine(acc, right_.take());
  }

  static void help(void* frame, task_context& w) {
    auto& self = static_cast<loop_part&>(*without_tags<loop_share>(frame));
    self.right_.emplace_from([&] { return self.take_back(w); });
  }

  // The thief takes the back half. While that runs, the rest of this part can be stolen again.
  value take_back(task_context& w) {
    const piece mine = [&] {
      const work_span_pause claims(w);
      return this->claim_back(grain_);
    }();
    if (!mine || fate_.stops(base_ + mine.first)) return body_.identity();
    auto own = [&](task_context& inner) {
      loop_part part(body_, fate_, base_ + mine.first, mine.last - mine.first, grain_);
      return part.run(inner);
    };
    auto again = [&](task_context& inner) { return take_back(inner); };
    if constexpr (has_hint<Body>) {
      hinted_call<const hint_source*, decltype(again)&> hinted_again{{again}, this};
      auto [right, left] = join_two(w, own, hinted_again);
      body_.combine(left, std::move(right));
      return std::move(left);
    } else {
      auto [right, left] = join_two(w, own, again);
      body_.combine(left, std::move(right));
      return std::move(left);
    }
  }

  Body body_;
  loop_fate& fate_;
  const std::uint64_t base_;
  const std::uint32_t grain_;
  result_box<value> right_;
};

/// Runs positions first .. first+size-1.
template <class Body>
[[gnu::always_inline]] inline auto run_loop(task_context& w, Body& body, loop_fate& fate, std::uint64_t first,
                                            std::uint64_t size, std::uint32_t grain) -> typename Body::value {
  constexpr std::uint64_t largest = std::uint64_t{1} << 31;
  if (size <= largest) [[likely]] {
    loop_part<Body> part(body, fate, first, static_cast<std::uint32_t>(size), grain);
    return part.run(w);
  }
  struct halves {
    static typename Body::value run(task_context& w, Body& body, loop_fate& fate, std::uint64_t first,
                                    std::uint64_t size, std::uint32_t grain) {
      if (size <= largest) {
        loop_part<Body> part(body, fate, first, static_cast<std::uint32_t>(size), grain);
        return part.run(w);
      }
      if (fate.stops(first)) return body.identity();
      const std::uint64_t half = size / 2 / grain * grain;
      auto front = [&](task_context& inner) { return run(inner, body, fate, first, half, grain); };
      auto back = [&](task_context& inner) {
        return run(inner, body, fate, first + half, size - half, grain);
      };
      auto [left, right] = join_two(w, front, back);
      body.combine(left, std::move(right));
      return std::move(left);
    }
  };
  return halves::run(w, body, fate, first, size, grain);
}

/// The number of workers of this worker's scheduler.
SKUA_API std::size_t worker_count(const task_context& w) noexcept;

/// Checks a grain from a user; 0 means that skua chooses. Throws bad_input.
SKUA_API std::uint32_t checked_grain(std::int64_t grain);

}  // namespace skua::detail
