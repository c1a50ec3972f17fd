// The parts of loops that do not depend on the types of their bodies.
#include <skua/detail/loop.hpp>
#include <skua/detail/positions.hpp>

#include <algorithm>
#include <exception>
#include <string>

#include <skua/detail/strand.hpp>
#include <skua/detail/work_span.hpp>
#include <skua/parallel_for.hpp>
#include <skua/topology.hpp>

#include "core/hinted_loop.hpp"
#include "core/scheduler_core.hpp"

namespace skua::detail {

void loop_fate::keep(std::uint64_t position) noexcept {
  while (guard_.exchange(1, std::memory_order_acquire)) core::host_platform::relax();
  if (!thrown_ || position < stop_.load(std::memory_order_relaxed)) {
    thrown_ = std::current_exception();
    stop_.store(position, std::memory_order_relaxed);
  }
  guard_.store(0, std::memory_order_release);
}

namespace {

/// The time that measures chunks, in ticks of a few GHz. On a simulated machine the claims since the last call take their
/// time first.
std::uint64_t ticks() noexcept {
  if (time_is_virtual) [[unlikely]] {
    core::virtual_threads_here().pass_fast_path(core::fast_path::loop_chunk);
    return 2 * core::host_platform::ticks();
  }
#if defined(__x86_64__) || defined(__i386__)
  return core::host_platform::ticks();
#else
  return 2 * core::host_platform::ticks();
#endif
}

/// The longest loop that does not read the clock. The measurements of simulated machines assume 16.
std::uint64_t longest_untimed() noexcept { return time_is_virtual ? 16 : longest_short_loop; }

/// Chooses the number of iterations of a chunk. A chunk takes about a microsecond: short enough that a thief never
/// waits long, and long enough that the cost of claiming is negligible. Chunks become smaller towards the end of the
/// loop.
class chunk_size {
 public:
  explicit chunk_size(std::uint32_t grain) noexcept : grain_(grain), size_(grain) {}

  std::uint32_t next(std::uint32_t left) noexcept {
    const std::uint32_t cap = std::max(grain_, whole_grains(left / 16));
    capped_ = cap <= size_;
    return std::min({size_, cap, left});
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
      size_ = std::max(grain_, whole_grains(size_ / 2));
  }

 private:
  // Ticks of a few GHz. Chunks stop growing at about two microseconds. A chunk above about ten microseconds is halved.
  static constexpr std::uint64_t fast = 4'000;
  static constexpr std::uint64_t slow = 30'000;
  /// Avoids the division in short loops, where it takes as long as a chunk.
  std::uint32_t whole_grains(std::uint32_t positions) const noexcept {
    if (grain_ == 1) return positions;
    return positions < grain_ ? 0 : positions / grain_ * grain_;
  }
  static std::uint32_t grow(std::uint32_t size) noexcept { return size > (1u << 28) ? size : size * 2; }

  std::uint32_t grain_;
  std::uint32_t size_;
  std::uint32_t chunks_ = 0;
  bool capped_ = false;
  bool cheap_ = false;
  std::uint64_t mark_ = 0;
};

}  // namespace

/// Runs positions that have been claimed.
template <untyped_loop_part::chunks How>
void untyped_loop_part::run_claimed(void* acc, std::uint64_t first, std::uint64_t last,
                                    loop_work_span* told) {
  if constexpr (How != chunks::plain)
    if (told) told->runs();
  if constexpr (How == chunks::measured)
    run_measured(acc, first, last);
  else
    all_.code.run(all_.body, acc, first, last);
  if constexpr (How != chunks::plain)
    if (told) told->ran(last - first);
}

// Runs the first position alone. If it begins other tasks, the others may do so too, and each is measured alone.
// Otherwise the others run together.
void untyped_loop_part::run_measured(void* acc, std::uint64_t first, std::uint64_t last) {
  bool only_computes = true;
  for (std::uint64_t at = first; at < last;) {
    const std::uint64_t end = at != first && only_computes ? last : at + 1;
    const strand_here positions(all_.name, at, end - at);
    all_.code.run(all_.body, acc, at, end);
    only_computes &= positions.has_only_computed();
    at = end;
  }
}

template <untyped_loop_part::chunks How>
void untyped_loop_part::run_chunks(void* acc, loop_work_span* told) {
  const std::uint32_t n = size();
  std::uint32_t i = 0;
  try {
    if (n <= longest_untimed() && all_.grain == 1 && base_ == 0) {  // as run_singly()
      for (; i < n; ++i) {
        if (!claim_private(i + 1, n)) return run_shared_chunks<How>(acc, i, i + 1, told);
        run_claimed<How>(acc, i, i + 1, told);
      }
      return;
    }
    chunk_size chunk(all_.grain);
    while (i < n) {
      const std::uint32_t end = i + chunk.next(n - i);
      if (!claim_private(end, n)) [[unlikely]]
        return run_shared_chunks<How>(acc, i, end, told);
      if (all_.stops(base_ + i)) return;
      run_claimed<How>(acc, base_ + i, base_ + end, told);
      i = end;
      chunk.done();
    }
  } catch (...) {
    all_.keep(base_ + i);
  }
}

template <untyped_loop_part::chunks How>
void untyped_loop_part::run_shared_chunks(void* acc, std::uint32_t first, std::uint32_t last,
                                          loop_work_span* told) {
  piece now{first, last};
  try {
    chunk_size chunk(all_.grain);
    if (!settle(last)) now = claim_front(chunk.next(size() - first));
    while (now && !all_.stops(base_ + now.first)) {
      run_claimed<How>(acc, base_ + now.first, base_ + now.last, told);
      chunk.done();
      now = claim_next(now.last, chunk.next(size() - now.last));
    }
  } catch (...) {
    all_.keep(base_ + now.first);
  }
}

// Up to `max` positions after `next`, where the owner's last claim ended.
untyped_loop_part::piece untyped_loop_part::claim_next(std::uint32_t next, std::uint32_t max) noexcept {
  if (is_shared()) return claim_front(max);
  // A thief's interruption was taken back: still private.
  const piece mine{next, next + max};
  return !mine || claim_private(mine.last) || settle(mine.last) ? mine : claim_front(max);
}

void untyped_loop_part::run_shared(void* acc, std::uint32_t first, std::uint32_t last) {
  run_shared_chunks<chunks::plain>(acc, first, last, nullptr);
}

[[gnu::noinline, gnu::cold]] void untyped_loop_part::run_told(void* acc, loop_work_span* told) {
  if (!time_is_virtual || !measures()) return run_chunks<chunks::told>(acc, told);
  const strand_pauses between_pieces;
  run_chunks<chunks::measured>(acc, told);
}

untyped_loop_part::run_so_far untyped_loop_part::push_slowly_from(task_context& w, slot* s, void* acc,
                                                                  const void* from) {
  if (time_is_virtual && all_.name == 0) all_.name = name_of_next(beginning::loop);
  if (w.slow_loop(s, from, size(), all_.grain) == fork_way::watched) {
    loop_work_span told(w);
    run_told(acc, &told);
    told.ran_all();
    if (!w.pop(s) && !w.reclaim(s)) gather(w, s, acc);
    return run_so_far::all;
  }
  if (!time_is_virtual) return run_so_far::nothing;
  run_told(acc, nullptr);
  return run_so_far::own_positions;
}

[[gnu::noinline]] untyped_loop_part::run_so_far untyped_loop_part::push_slowly(task_context& w, slot* s,
                                                                               void* acc) {
  return push_slowly_from(w, s, acc, __builtin_return_address(0));
}

[[gnu::cold]] void untyped_loop_part::gather(task_context& w, slot* s, void* acc) {
  // A thief's code may also throw outside of the body, when it moves or combines values.
  if (std::exception_ptr thrown = w.finish(s)) {
    try {
      std::rethrow_exception(thrown);
    } catch (...) {
      all_.keep(base_);
    }
    return;
  }
  if (all_.code.take_result) all_.code.take_result(*this, acc);
}

void untyped_loop_part::run(task_context& w, void* acc, std::uintptr_t frame_tags, const void* from) {
  slot* const s = w.own_top();
  auto done = run_so_far::nothing;
  if (w.push(s, reinterpret_cast<void*>(all_.code.help),
             with_tags(static_cast<loop_share*>(this), frame_tags))) [[unlikely]]
    done = push_slowly_from(w, s, acc, from);
  if (done == run_so_far::nothing) run_chunks<chunks::plain>(acc, nullptr);
  if (done != run_so_far::all && !w.pop(s) && !w.reclaim(s)) [[unlikely]]
    gather(w, s, acc);
}

// ---- loops without a result

namespace {

using hinted_part = loop_part<no_result, core::hinted_loop_part>;

void run_hinted_loop(task_context& w, const loop_functions& code, void* body, std::uint64_t size,
                     const loop_ways& how, const void* from) {
  core::hinted_run all(code, how.grain, body, *how.hint, how.start);
  hinted_part::run_range(w, all, 0, size, from);
  all.rethrow();
}

void run_plain_loop(task_context& w, const loop_functions& code, void* body, std::uint64_t size,
                    std::uint32_t grain, const void* from) {
  loop_run all(code, grain, body);
  plain_part::run_range(w, all, 0, size, from);
  all.rethrow();
}

void run_remembering(task_context& w, const loop_functions& code, void* body, std::uint64_t size,
                     const loop_ways& how) {
  struct positions {
    const loop_functions& code;
    void* body;
  } all{code, body};
  run_as_last(
      w, *how.memo, size, how.grain,
      [](void* data, std::uint64_t first, std::uint64_t last) {
        const auto& of = *static_cast<positions*>(data);
        of.code.run(of.body, nullptr, first, last);
      },
      &all);
}

}  // namespace

void help_plainly(void* frame, task_context& w) {
  if (reinterpret_cast<std::uintptr_t>(frame) & hint_tag)
    hinted_part::help(frame, w);
  else
    plain_part::help(frame, w);
}

[[gnu::noinline]] void run_long_loop(task_context& w, const loop_functions& code, void* body,
                                     std::uint64_t size, std::uint32_t grain) {
  run_plain_loop(w, code, body, size, grain, __builtin_return_address(0));
}

[[gnu::noinline]] void run_in_other_way(const loop_functions& code, void* body, std::uint64_t size,
                                        const loop_ways& how) {
  const void* const from = __builtin_return_address(0);
  on_worker([&](task_context& w) {
    if (how.memo)
      run_remembering(w, code, body, size, how);
    else if (how.hint)
      run_hinted_loop(w, code, body, size, how, from);
    else
      run_plain_loop(w, code, body, size, how.grain, from);
  });
}

// ---- checks, and what loops ask

std::size_t worker_count(const task_context& w) noexcept { return w.seat->pool->workers(); }

void refuse_negative_start(std::int64_t first) {
  throw bad_input(
      "loop begins at " + std::to_string(first) +
      ", but its end has an unsigned type, and so have its positions; allowed: 0 or more, or two ends of "
      "a signed type; nearest: 0");
}

void refuse_tiles() {
  throw bad_input("the axes of a loop have 2^64 tiles or more together; allowed: fewer; give larger grains");
}

std::uint32_t checked_grain(std::int64_t grain) {
  if (grain < 0)
    throw bad_input("loop grain is " + std::to_string(grain) +
                    "; allowed: 0 (skua chooses) or a positive number of iterations; nearest: 0");
  constexpr std::int64_t largest = std::int64_t{1} << 30;  // a loop is one chunk beyond this size
  return grain == 0 ? 1 : static_cast<std::uint32_t>(grain < largest ? grain : largest);
}

}  // namespace skua::detail
