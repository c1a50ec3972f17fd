// How much of a loop is dealt (dealing.hpp): to how many idle workers, and whether it wakes them. The scheduler remembers how
// long a position of each loop takes. A small loop is not dealt.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include <skua/detail/loop.hpp>

#include "core/scheduler_core.hpp"

namespace skua::core {

/// The work for each worker that is worth handing a part of a loop to it, and that is worth waking it. A record takes about half a
/// microsecond from one worker to the next. To wake a worker takes some microseconds.
inline constexpr float worth_handing_ns = 1'000, worth_waking_ns = 3'000;

/// The work of so many positions, in nanoseconds; 0 if the loop runs for the first time.
inline float expected_work(const task_context& w, const detail::loop_run& all, std::uint64_t size) noexcept {
  return w.worker->pool->costs_of_loops.of(all.thief_site()) * static_cast<float>(size);
}

/// Whether the positions are not worth another worker.
inline bool is_small(const task_context& w, const detail::loop_run& all, std::uint64_t size) noexcept {
  const float work = expected_work(w, all, size);
  return work > 0 && work < 2 * worth_handing_ns;
}

/// Whether thieves leave short pieces of the loop alone.
inline bool leaves_alone(const task_context& w, const detail::loop_run& all) noexcept {
  return w.worker->pool->trials_of_loops.leaves_alone(all.thief_site());
}

/// Whether the positions are a piece of an even loop that is dealt, although this worker assumes that all others are idle: they are
/// not, since they run their pieces.
inline bool others_run_pieces(const task_context& w, const detail::loop_run& all, const void* from) noexcept {
  return from == all.thief_site() && w.worker->dealing.known == w.worker->pool->workers() &&
         leaves_alone(w, all);
}

/// A piece of a loop whose other pieces run elsewhere, if it is short: thieves would need as long as it takes, and its
/// data would move to their caches. Returns the least work that is expected, 0 for other work.
inline float short_piece(const task_context& w, const detail::loop_run& all, std::uint64_t size,
                         const void* from) noexcept {
  scheduler_core& pool = *w.worker->pool;
  if (from != all.thief_site() || !pool.deals() || !leaves_alone(w, all)) return 0;
  const float work = pool.min_costs_of_loops.of(all.thief_site()) * static_cast<float>(size);
  // The first loops fetch their data, so nobody knows yet how short a piece is. If thieves came then, the data would never come to
  // rest, and each loop would be as slow as the first.
  if (pool.trials_of_loops.may_fetch_data(all.thief_site())) return work;
  return work < static_cast<float>(short_piece_ns) ? work : 0;
}

/// Whether the record of the positions stays private, although workers are idle (keeps_private).
inline bool stays_private(const task_context& w, const detail::loop_run& all, std::uint64_t size,
                          const void* from) noexcept {
  if (w.worker->dealing.known > 1 && !others_run_pieces(w, all, from))
    return w.worker->pool->deals() && is_small(w, all, size);
  return short_piece(w, all, size, from) > 0;
}

/// While this lives, thieves do not take a short piece by force, unless it takes much longer than expected.
class undisturbed_piece {
 public:
  undisturbed_piece(task_context& w, const detail::loop_run& all, std::uint64_t size,
                    const void* from) noexcept
      : of_(static_cast<stack&>(w)) {
    const float work = short_piece(w, all, size, from);
    is_short_ = work > 0;
    if (is_short_) until(host_platform::now_ns() + extra_ns(w, all) + static_cast<std::int64_t>(2 * work));
  }
  ~undisturbed_piece() {
    if (is_short_) until(0);
  }
  undisturbed_piece(const undisturbed_piece&) = delete;
  undisturbed_piece& operator=(const undisturbed_piece&) = delete;

 private:
  /// The first runs of a loop fetch its data, which may take ten times as long as its work and more. A thief that came meanwhile would
  /// take data along, and the next loop would fetch them again. So a piece may take as long as all of the last loop.
  static std::int64_t extra_ns(const task_context& w, const detail::loop_run& all) noexcept {
    constexpr float at_least = 20'000, at_most = 10'000'000;  // a thread may have lost its CPU in it
    const float last = w.worker->pool->trials_of_loops.last_loop_ns(all.thief_site());
    return static_cast<std::int64_t>(std::clamp(last, at_least, at_most));
  }
  void until(std::int64_t ns) noexcept {
    const detail::work_span_pause not_work(of_);
    of_.undisturbed_until.store(ns, std::memory_order_relaxed);
  }
  stack& of_;
  bool is_short_;
};

/// Whether other workers are probably idle, and the next fork hands a piece to one of them. The pieces are then made at once, not
/// when thieves come. In the middle of an even loop the others are not idle, as they run their pieces, even if this worker
/// assumes that all are.
inline bool deals_pieces(const task_context& w, const detail::loop_run& all, std::uint64_t size,
                         const void* from) noexcept {
  const std::uint32_t known = w.worker->dealing.known;
  return known > 1 && detail::host_atomics::quietly(w.limit).load(std::memory_order_relaxed) == w.lowered &&
         size / 2 >= all.grain && w.worker->pool->deals() && !others_run_pieces(w, all, from) &&
         !is_small(w, all, size);
}

/// Whether the positions are enough work for the workers that this one knows, to wake them. A loop that runs for the first time
/// is: if that is wrong, it costs some microseconds once.
inline bool is_worth_waking(const task_context& w, const detail::loop_run& all, std::uint64_t size) noexcept {
  const std::uint32_t known = w.worker->dealing.known;
  const float work = expected_work(w, all, size);
  return known > 1 && (work == 0 || work >= worth_waking_ns * static_cast<float>(known));
}

/// How many of `size` positions stay in front, on this worker and on the idle ones that it keeps for them.
inline std::uint64_t front_of(const task_context& w, std::uint64_t size) noexcept {
  const std::uint64_t known = w.worker->dealing.known, kept = known / 2;
  return known <= 1 ? size / 2 : size / known * kept + size % known * kept / known;
}

/// For a worker that begins a loop and knows all others: how many positions belong to the workers with lower numbers. So each
/// worker runs the same part of a loop every time, whichever worker begins the loop. 0: the loop is divided from here on.
inline std::uint64_t part_before_own(const task_context& w, const detail::loop_run& all,
                                     std::uint64_t size) noexcept {
  const std::uint64_t workers = w.worker->pool->workers(), own = w.worker->id;
  if (w.worker->dealing.known != workers) return 0;
  if (!is_worth_waking(w, all, size) && w.worker->pool->idle.is_asleep(0)) return 0;
  return (size / workers * own + size % workers * own / workers) / all.grain * all.grain;
}

/// While this lives, the worker knows only as many idle workers as a loop has work for.
class enough_workers {
 public:
  enough_workers(const task_context& w, const detail::loop_run& all, std::uint64_t size) noexcept
      : w_(w), here_(w.worker), known_(here_->dealing.known), lowered_(known_) {
    const float work = expected_work(w, all, size);
    if (work == 0) return;
    const float each = next_sleeps(*here_) ? worth_waking_ns : worth_handing_ns;
    if (work >= each * static_cast<float>(known_)) return;
    here_->dealing.known = lowered_ = std::max(1u, static_cast<std::uint32_t>(work / each));
  }
  ~enough_workers() {
    if (w_.worker == here_ && here_->dealing.known == lowered_) here_->dealing.known = known_;
  }
  enough_workers(const enough_workers&) = delete;
  enough_workers& operator=(const enough_workers&) = delete;

 private:
  const task_context& w_;
  worker* const here_;
  const std::uint32_t known_;
  std::uint32_t lowered_;
};

/// Whether an exception ended the loop: then not all positions have run.
inline bool has_thrown(const detail::loop_run& all) noexcept {
  return all.stops(std::numeric_limits<std::uint64_t>::max());
}

/// Measures a whole loop that is dealt.
class timed_loop {
 public:
  timed_loop(const task_context& w, const detail::loop_run& all, std::uint64_t size) noexcept
      : trials_(w.worker->pool->trials_of_loops), all_(all), size_(size), since_(host_platform::now_ns()) {}
  ~timed_loop() {
    if (has_thrown(all_)) return;
    trials_.ended(all_.thief_site(), static_cast<float>(host_platform::now_ns() - since_),
                  static_cast<float>(size_));
  }
  timed_loop(const timed_loop&) = delete;
  timed_loop& operator=(const timed_loop&) = delete;

 private:
  piece_trials& trials_;
  const detail::loop_run& all_;
  const std::uint64_t size_;
  const std::int64_t since_;
};

/// Measures a piece of a loop that runs here, if dealing_state::measures_next says so.
class measured_piece {
 public:
  measured_piece(const task_context& w, const detail::loop_part& piece) noexcept
      : w_(w), piece_(std::exchange(w.worker->dealing.measures_next, false) ? &piece : nullptr) {
    if (piece_) [[unlikely]]
      since_ = host_platform::now_ns();
  }
  ~measured_piece() {
    if (!piece_) [[likely]]
      return;
    const std::uint32_t positions = piece_->run_by_owner();
    if (positions == 0 || has_thrown(piece_->all())) return;
    const std::int64_t waits = static_cast<const stack&>(w_).waits_since_ns;
    const std::int64_t end = piece_->is_shared() && waits > since_ ? waits : host_platform::now_ns();
    const auto ns = static_cast<float>(end - since_);
    const float each = ns / static_cast<float>(positions);
    code_estimates& costs = w_.worker->pool->costs_of_loops;
    const void* const loop = piece_->all().thief_site();
    // A short piece takes mostly what it costs to divide the loop and to answer thieves. So it shows only that a position takes no
    // longer than this.
    const float before = costs.of(loop);
    if (ns >= worth_handing_ns || each < before || before == 0) costs.measured(loop, each);
    // Thieves make a piece take longer.
    code_estimates& min_costs = w_.worker->pool->min_costs_of_loops;
    const float min = min_costs.of(loop);
    if (each < min || min == 0)
      min_costs.measured(loop, each);
    else if (each > 4 * min)
      min_costs.measured(loop, 2 * min);
  }
  measured_piece(const measured_piece&) = delete;
  measured_piece& operator=(const measured_piece&) = delete;

 private:
  const task_context& w_;
  const detail::loop_part* piece_;
  std::int64_t since_ = 0;
};

}  // namespace skua::core
