// How a thread runs its part of a loop: in chunks, which it claims one after the other.
#include <skua/detail/loop.hpp>

#include <algorithm>

#include <skua/detail/strand.hpp>
#include <skua/detail/work_span.hpp>

#include "core/record/strands.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::detail {

namespace {

/// The time that measures chunks. The claims since the last call are charged first.
std::uint64_t ticks() noexcept {
  core::count_fast_path(core::timed_step::loop_chunk);
  return core::host_platform::short_ticks();
}

/// The longest loop that does not read the clock. The measurements of simulated machines assume 16.
std::uint64_t longest_untimed() noexcept {
  return core::host_platform::tuning_fits() ? longest_short_loop : 16;
}

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

/// Copies that thieves cannot see, so that they stay in registers from chunk to chunk.
struct loop_part::known_body {
  explicit known_body(const loop_run& all) : run(all.code.run), body(all.body) {}
  void (*const run)(void* body, void* acc, std::uint64_t first, std::uint64_t last);
  void* const body;
};

/// Runs positions that have been claimed.
template <loop_part::chunks How>
void loop_part::run_claimed(known_body body, void* acc, std::uint64_t first, std::uint64_t last,
                            loop_work_span* told) {
  if constexpr (How != chunks::plain)
    if (told) told->runs();
  if constexpr (How == chunks::measured)
    run_measured(acc, first, last);
  else
    body.run(body.body, acc, first, last);
  if constexpr (How != chunks::plain)
    if (told) told->ran(last - first);
}

namespace {

/// The simulator has run other workers, and what a short position needs may have left the caches meanwhile: its code, its data
/// and its frame. On a busy machine that takes microseconds.
void fetch_before_measuring(const void* code, const void* body, const void* acc) noexcept {
  constexpr std::ptrdiff_t line = 64, lines_of_code = 3, lines_of_frame = 6;
  const char* const instructions = static_cast<const char*>(code);
  for (std::ptrdiff_t i = 0; i < lines_of_code; ++i) __builtin_prefetch(instructions + i * line);
  const char* const frame = static_cast<const char*>(__builtin_frame_address(0));
  for (std::ptrdiff_t i = 0; i < lines_of_frame; ++i) __builtin_prefetch(frame - i * line);
  __builtin_prefetch(body);
  __builtin_prefetch(acc);
}

}  // namespace

// Runs the first position alone. If it begins other tasks, the others may do so too, and each is measured alone.
// Otherwise the others run together.
void loop_part::run_measured(void* acc, std::uint64_t first, std::uint64_t last) {
  bool only_computes = true;
  for (std::uint64_t at = first; at < last;) {
    const std::uint64_t end = at != first && only_computes ? last : at + 1;
    fetch_before_measuring(reinterpret_cast<const void*>(all_.code.run), all_.body, acc);
    const strand_here positions(all_.name, at, end - at);
    all_.code.run(all_.body, acc, at, end);
    only_computes &= positions.has_only_computed();
    at = end;
  }
}

template <loop_part::chunks How>
void loop_part::run_chunks(void* acc, loop_work_span* told) {
  const std::uint32_t n = size();
  const known_body body(all_);
  const std::uint64_t base = base_;
  const loop_run& all = all_;
  std::uint32_t i = 0;
  try {
    if (n <= longest_untimed() && all.grain == 1 && base == 0) {  // as run_singly()
      for (; i < n; ++i) {
        if (!claim_private(i + 1, n)) return run_shared_chunks<How>(acc, i, i + 1, told);
        run_claimed<How>(body, acc, i, i + 1, told);
      }
      return;
    }
    chunk_size chunk(all.grain);
    while (i < n) {
      const std::uint32_t end = i + chunk.next(n - i);
      if (!claim_private(end, n)) [[unlikely]]
        return run_shared_chunks<How>(acc, i, end, told);
      if (all.stops(base + i)) return;
      run_claimed<How>(body, acc, base + i, base + end, told);
      i = end;
      chunk.done();
    }
  } catch (...) {
    all_.keep(base + i);
  }
}

template <loop_part::chunks How>
void loop_part::run_shared_chunks(void* acc, std::uint32_t first, std::uint32_t last, loop_work_span* told) {
  piece now{first, last};
  const known_body body(all_);
  try {
    chunk_size chunk(all_.grain);
    if (!settle(last)) now = claim_front(chunk.next(size() - first));
    while (now && !all_.stops(base_ + now.first)) {
      run_claimed<How>(body, acc, base_ + now.first, base_ + now.last, told);
      chunk.done();
      now = claim_next(now.last, chunk.next(size() - now.last));
    }
  } catch (...) {
    all_.keep(base_ + now.first);
  }
}

// Up to `max` positions after `next`, where the owner's last claim ended.
loop_part::piece loop_part::claim_next(std::uint32_t next, std::uint32_t max) noexcept {
  if (is_shared()) return claim_front(max);
  // A thief's interruption was taken back: still private.
  const piece mine{next, next + max};
  return !mine || claim_private(mine.last) || settle(mine.last) ? mine : claim_front(max);
}

void loop_part::run_shared(void* acc, std::uint32_t first, std::uint32_t last) {
  run_shared_chunks<chunks::plain>(acc, first, last, nullptr);
}

[[gnu::noinline, gnu::cold]] void loop_part::run_told(void* acc, loop_work_span* told) {
  if (!core::host_platform::charges_code() || !measures()) return run_chunks<chunks::told>(acc, told);
  const strand_pauses between_pieces;
  run_chunks<chunks::measured>(acc, told);
}

// loop.cpp calls these.
template void loop_part::run_chunks<loop_part::chunks::plain>(void* acc, loop_work_span* told);

}  // namespace skua::detail
