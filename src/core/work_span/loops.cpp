// Loops: estimates the longest iteration from the times of the pieces.
#include <algorithm>
#include <bit>

#include <skua/detail/work_span.hpp>

#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

namespace core {

using detail::fork_way;

namespace {

constexpr std::uint32_t max_chunks_a_piece = 64;

std::uint64_t halvings(std::uint64_t pieces) noexcept {
  return pieces < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(pieces - 1));
}

std::uint64_t scaled(std::uint64_t ticks, std::uint64_t part, std::uint64_t whole) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * static_cast<double>(part) /
                                    static_cast<double>(whole));
}

}  // namespace

// A fork that is taken as serial has no depth, but a record below those of what it forks.
void stack_work_span::count_call(call_site_table::entry& at, const detail::slot* s,
                                 std::uint64_t iterations) const noexcept {
  if ((s ? s : of_.own_top()) == of_call_ && depth_ == 0 && !little_.group) at.loops.add(iterations);
}

fork_way stack_work_span::loop(detail::slot* s, site where, std::uint64_t iterations, std::uint32_t grain) {
  if (unseen_) {
    push_on_slow_path(s);
    return fork_way::plain;
  }
  loops.add();
  if (open_ && !pathless_) {
    ++outermost_.loops;
    if (!serial_) sees_outermost(where);
  }
  const bool kept = open_ && !pathless_ && !serial_ && has_frame();
  guess* const g = kept && !totals_.exact() ? &guess_of(where) : nullptr;
  if (!kept || (g && expects_little(*g))) {
    if (g) {
      serial_guess_ = g;
      if (s) ++attributed_;
      call_site_table::entry& here = sites.of(where, where_);
      here.times.add();
      count_call(here, s, iterations);
    }
    push_on_slow_path(s);
    return fork_way::plain;
  }
  count_call(sites.of(where, where_), s, iterations);
  frame& f = begin(kind::loop, s, where, g);
  f.grain = grain;
  f.iterations = iterations;
  f.clock = mark_;
  if (totals_.exact()) open_ = false;  // in virtual time claiming takes time
  return fork_way::watched;
}

site stack_work_span::begin_dealt_loop(site where, std::uint64_t iterations) noexcept {
  const site outer = where_;
  if (!open_ || pathless_ || serial_ || unseen_) return outer;
  call_site_table::entry& here = sites.of(where, outer);
  here.times.add();
  count_call(here, nullptr, iterations);
  const std::uint64_t now = host_platform::ticks();
  stop(now);
  go_to(where);
  resume(now);
  return outer;
}

void stack_work_span::end_dealt_loop(site outer) noexcept {
  if (where_ == outer) return;
  const std::uint64_t now = host_platform::ticks();
  const bool ran = open_;
  if (ran) stop(now);
  go_to(outer);
  if (ran) resume(now);
}

std::uint32_t stack_work_span::end_piece(std::uint64_t iterations) noexcept {
  frame& f = frames_.back();
  const std::uint64_t now = host_platform::ticks();
  if (open_) stop(now);
  const std::uint64_t span = path_.span - f.begin.span, burden = path_.burdened - f.begin.burdened - span;
  if (iterations != 0 && span != 0) {
    const std::uint64_t min = std::min<std::uint64_t>(f.grain, iterations);
    std::uint64_t longest = scaled(span, min, iterations);
    const std::uint64_t others =
        f.ran != 0 ? scaled(f.pieces_span, iterations - min, f.ran) : span;  // at the average of those before
    if (span > others) longest = std::max(longest, span - others);
    if (longest > f.first.span) {
      f.first = {longest, longest + burden};
      keep_longest_piece(f, longest, span);
    }
    f.ran += iterations;
    f.pieces_span += span;
  }
  parts_.resize(f.second_base);
  base_ = f.second_base;
  path_ = f.begin;
  const std::uint64_t took = now - f.clock;
  f.clock = now;
  if (totals_.exact())
    f.chunks_a_piece = 1;
  else if (took < totals_.grain_ticks())
    f.chunks_a_piece = std::min(2 * f.chunks_a_piece, max_chunks_a_piece);
  else if (took > 4 * totals_.grain_ticks())
    f.chunks_a_piece = std::max(1u, f.chunks_a_piece / 2);
  if (!totals_.exact()) resume(now);
  return f.chunks_a_piece;
}

void stack_work_span::keep_longest_piece(frame& f, std::uint64_t longest, std::uint64_t span) noexcept {
  const auto piece = parts_.begin() + f.second_base;
  const auto n = static_cast<std::uint32_t>(parts_.end() - piece);
  std::for_each(piece, parts_.end(), [&](call_site_part& p) { p.ticks = scaled(p.ticks, longest, span); });
  std::copy(piece, parts_.end(), parts_.begin() + f.first_base);
  f.second_base = f.first_base + n;
}

void stack_work_span::ran_all() noexcept {
  stop();
  frame& f = frames_.back();
  parts_.resize(f.second_base);
  path_ = f.begin;
  f.now = stage::between;
}

void stack_work_span::end_loop() noexcept {
  frame& f = frames_.back();
  if (f.now == stage::first) ran_all();
  const std::uint64_t work = work_ - f.work,
                      pieces = std::min(f.iterations / f.grain, work / totals_.burden_ticks());
  const path_point own{f.begin.span + f.first.span,
                       f.begin.burdened + f.first.burdened + halvings(pieces) * totals_.burden_ticks()};
  refresh_expectation(work);
  expect(f.expected, work);
  join(f, own, f.now == stage::stolen ? f.second : f.begin);
  resume();
}

}  // namespace core

namespace detail {

void work_span_pause::begin() noexcept {
  if (worker_->work_span->runs())
    worker_->work_span->stop();
  else
    worker_ = nullptr;
}
void work_span_pause::end() noexcept { worker_->work_span->resume(); }

void loop_work_span::begin_chunk() noexcept { worker_.work_span->begin_chunk(); }

void loop_work_span::end_piece() noexcept {
  chunks_a_piece_ = worker_.work_span->end_piece(std::exchange(iterations_, 0));
  chunks_ = 0;
}

void loop_work_span::ran_all() noexcept {
  if (iterations_ != 0) end_piece();
  worker_.work_span->ran_all();
}

void loop_work_span::end() noexcept { worker_.work_span->end_loop(); }

void fork_work_span::end_first() noexcept { worker_->work_span->end_first(); }
void fork_work_span::begin_second() noexcept { worker_->work_span->begin_second(); }
void fork_work_span::end() noexcept { worker_->work_span->end_fork(); }

}  // namespace detail
}  // namespace skua
