// Loops, as far as they do not depend on the types of their bodies: their parts, and how they are divided for thieves. chunks.cpp
// runs the positions of a part.
#include <skua/detail/loop.hpp>
#include <skua/detail/positions.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <skua/detail/strand.hpp>
#include <skua/detail/work_span.hpp>
#include <skua/parallel_for.hpp>
#include <skua/topology.hpp>

#include "core/choosing/episode.hpp"
#include "core/dealing/dealt_loops.hpp"
#include "core/learning/memo.hpp"
#include "core/locks/guard_word.hpp"
#include "core/loops/hinted_loop.hpp"
#include "core/record/strands.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/paths.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::detail {

void loop_fate::keep(std::uint64_t position) noexcept {
  core::take_guard<core::host_platform>(guard_);
  if (!thrown_ || position < stop_.load(std::memory_order_relaxed)) {
    thrown_ = std::current_exception();
    stop_.store(position, std::memory_order_relaxed);
  }
  core::leave_guard(guard_);
}

// ---- results

namespace {

/// The program makes or combines a result of the loop; `of` is the first of its positions. Where the core divides the loop, that
/// is a strand of its own; else it is a part of the strand that runs the loop.
class result_strand : strand_here {
 public:
  enum what : std::uint64_t { makes, combines };
  result_strand(what does, const loop_run& all, std::uint64_t of) noexcept
      : strand_here(core::divides_loop() ? strand::mix(all.name + strand::mix(~of) + does) : 0) {}
};

void combine(loop_run& all, void* left, void* right, std::uint64_t first_of_right) {
  if (!all.code.results) return;
  const result_strand measured(result_strand::combines, all, first_of_right);
  all.code.results->combine(all.body, left, right);
}

void* aligned_in(void* memory, const result_functions& results) noexcept {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory);
  return reinterpret_cast<void*>((at + results.alignment - 1) / results.alignment * results.alignment);
}
// Memory for a result, in the frame of the calling function; null if the loop has no result.
#define SKUA_ROOM_FOR(results) \
  ((results) ? aligned_in(__builtin_alloca((results)->size + (results)->alignment), *(results)) : nullptr)

void make_identity(loop_run& all, std::uint64_t first, void* result) {
  if (!all.code.results) return;
  const result_strand measured(result_strand::makes, all, first);
  all.code.results->identity(all.body, result);
}
void destroy(loop_run& all, void* result) noexcept {
  if (all.code.results) all.code.results->destroy(result);
}

}  // namespace

// ---- a part of a loop

[[gnu::cold]] void loop_part::gather(task_context& w, slot* s, void* acc) {
  static_cast<core::stack&>(w).waits_since_ns = core::host_platform::now_ns();
  if (w.work_span) w.work_span->loop_has_thief(core::site_at(core::call_site_kind::join, all_.thief_site()));
  // A thief's code may also throw outside of the body, when it moves or combines values.
  if (std::exception_ptr thrown = w.finish(s)) {
    try {
      std::rethrow_exception(thrown);
    } catch (...) {
      all_.keep(base_);
    }
    return;
  }
  combine(all_, acc, room_, base_ + size());
}

void loop_part::run(task_context& w, void* acc, std::uintptr_t frame_tags, const void* from) {
  slot* const s = w.own_top();
  auto done = run_so_far::nothing;
  if (w.push(s, reinterpret_cast<void*>(all_.code.help),
             with_tags(static_cast<loop_share*>(this), frame_tags))) [[unlikely]]
    done = push_slowly_from(w, s, acc, from);
  if (done == run_so_far::nothing) run_chunks<chunks::plain>(acc, nullptr);
  if (done != run_so_far::all && !w.pop(s) && !w.reclaim(s)) [[unlikely]]
    gather(w, s, acc);
}

// A record of the part would only make other workers look at it.
void loop_part::run_alone(task_context& w, void* acc, const void* from) {
  const strand_steps loop_begins;
  if (w.work_span && w.work_span->loop(nullptr, core::site_at(core::call_site_kind::loop, from), size(),
                                       all_.grain) == fork_way::watched) {
    loop_work_span told(w);
    run_told(acc, &told);
    return told.ran_all();
  }
  if (core::host_platform::charges_code()) return run_told(acc, nullptr);
  run_chunks<chunks::plain>(acc, nullptr);
}

loop_part::piece loop_part::claim_for_thief(task_context& w) {
  const work_span_pause claims(w);
  return claim_back(all_.grain);
}

// ---- splitting: `Part` is loop_part or hinted_loop_part

namespace {

/// The name of a loop that begins here.
void name_loop(loop_run& all) noexcept {
  if (core::host_platform::charges_code() && all.name == 0) all.name = name_of_next(beginning::loop);
}

/// The longest part of a loop.
constexpr std::uint64_t largest_part = std::uint64_t{1} << 31;

template <class Part>
void take_back(Part& part, task_context& w, void* result);
template <class Part>
void run_range(task_context& w, typename Part::run_of& all, std::uint64_t first, std::uint64_t size,
               void* result, const void* from);

/// Tells the worker how long a thief has run positions.
class timed_positions {
 public:
  explicit timed_positions(const task_context& w) noexcept : w_(w), since_(now()) {}
  ~timed_positions() { w_.worker->last_steals.ran_positions(now() - since_); }
  timed_positions(const timed_positions&) = delete;
  timed_positions& operator=(const timed_positions&) = delete;

 private:
  static std::int64_t now() noexcept {
    return core::host_platform::tuning_fits() ? core::host_platform::now_ns() : 0;
  }
  const task_context& w_;
  const std::int64_t since_;
};

/// A child of a fork: positions of the loop, or the rest of a part after a thief has taken its back half.
template <class Part>
struct piece_of_loop {
  typename Part::run_of& all;
  std::uint64_t first, size;
  Part* rest;
  void* result;
  bool made = false;
  void operator()(task_context& w) {
    const core::strand_divides division;
    if (rest) {
      take_back(*rest, w, result);
    } else {
      const timed_positions timed(w);
      if (core::is_small(w, all, size)) w.worker->dealing.measures_next = true;  // perhaps it is not any more
      run_range<Part>(w, all, first, size, result, all.thief_site());
    }
    made = true;
  }
};

/// Calls fork(), which runs both pieces, and combines their results in the left one.
template <class Part, class Fork>
void combine_after(Fork fork, piece_of_loop<Part>& left, piece_of_loop<Part>& right) {
  loop_run& all = left.all;
  try {
    fork();
    right.made = false;
    combine(all, left.result, right.result, right.first);
  } catch (...) {
    if (left.made) destroy(all, left.result);
    if (right.made) destroy(all, right.result);
    throw;
  }
}

template <class Part>
void run_part(Part& part, task_context& w, void* result, const void* from) {
  const core::measured_piece measured(w, part);
  if (part.size() > part.all().grain) {
    const core::undisturbed_piece undisturbed(w, part.all(), part.size(), from);
    return part.run(w, result, Part::tags, from);
  }
  name_loop(part.all());
  part.run_alone(w, result, from);
}

template <class Part>
[[gnu::noinline]] void run_part_with_result(task_context& w, typename Part::run_of& all, std::uint64_t first,
                                            std::uint64_t size, void* result, const void* from) {
  void* const room = SKUA_ROOM_FOR(all.code.results);
  Part part(all, first, static_cast<std::uint32_t>(size), room);
  make_identity(all, first, result);
  try {
    run_part(part, w, result, from);
  } catch (...) {
    destroy(all, result);
    throw;
  }
}

/// `own` runs here, and the other piece is for another worker.
template <class Part>
void run_both(task_context& w, typename Part::run_of& all, std::uint64_t first, std::uint64_t front_size,
              std::uint64_t size, void* result, bool own_is_front) {
  using piece = piece_of_loop<Part>;
  void* const room = SKUA_ROOM_FOR(all.code.results);
  piece front{all, first, front_size, nullptr, result},
      back{all, first + front_size, size - front_size, nullptr, room};
  w.worker->dealing.next_may_wake = core::is_worth_waking(w, all, size);
  piece &own = own_is_front ? front : back, &other = own_is_front ? back : front;
  combine_after([&] { fork_here<piece&, piece&>(w, own, other, all.thief_site()); }, front, back);
}

template <class Part>
[[gnu::noinline, gnu::cold]] void run_halves(task_context& w, typename Part::run_of& all, std::uint64_t first,
                                             std::uint64_t size, void* result) {
  if (all.stops(first)) return make_identity(all, first, result);
  const std::uint64_t half =
      std::max<std::uint64_t>(all.grain, core::front_of(w, size) / all.grain * all.grain);
  run_both<Part>(w, all, first, half, size, result, true);
}

/// A whole loop, or a piece of one (then `from` is its thieves' site), in pieces for idle workers. For recordings the task has begun
/// one loop, without the forks that divide it.
template <class Part>
void run_dealt(task_context& w, typename Part::run_of& all, std::uint64_t first, std::uint64_t size,
               void* result, const void* from) {
  const bool outermost = from != all.thief_site();
  std::optional<core::dealt_loop_work_span> kept;
  if (outermost) kept.emplace(w, from, size);
  name_loop(all);
  const strand_steps loop_begins;
  const core::strand_divides division;
  const core::enough_workers enough(w, all, size);
  std::optional<core::timed_loop> timed;
  if (outermost) {
    timed.emplace(w, all, size);
    w.worker->dealing.measures_next = true;
  }
  const std::uint64_t before_own = outermost ? core::part_before_own(w, all, size) : 0;
  if (before_own == 0) return run_halves<Part>(w, all, first, size, result);
  w.worker->dealing.next_gives = w.worker->id;
  run_both<Part>(w, all, first, before_own, size, result, false);
}

/// Runs positions first .. first+size-1 of a loop.
template <class Part>
void run_range(task_context& w, typename Part::run_of& all, std::uint64_t first, std::uint64_t size,
               void* result, const void* from) {
  if (core::deals_pieces(w, all, size, from)) [[unlikely]]
    return run_dealt<Part>(w, all, first, size, result, from);
  if (size > largest_part) [[unlikely]]
    return run_halves<Part>(w, all, first, size, result);
  if (all.code.results) return run_part_with_result<Part>(w, all, first, size, result, from);
  Part part(all, first, static_cast<std::uint32_t>(size), nullptr);
  run_part(part, w, nullptr, from);
}

// The thief takes the back half. While that runs, the rest of this part can be stolen again.
template <class Part>
void take_back(Part& part, task_context& w, void* result) {
  auto& all = static_cast<typename Part::run_of&>(part.all());
  const auto mine = part.claim_for_thief(w);
  if (!mine || all.stops(part.base() + mine.first))
    return make_identity(all, part.base() + mine.first, result);
  if (core::short_piece(w, all, mine.last - mine.first, all.thief_site()) > 0)
    w.worker->dealing.known = 1;  // the others run their own pieces
  using piece = piece_of_loop<Part>;
  void* const room = SKUA_ROOM_FOR(all.code.results);
  piece own{all, part.base() + mine.first, mine.last - mine.first, nullptr, room};
  piece rest{all, 0, 0, &part, result};
  const auto fork = [&] {
    if constexpr (std::is_same_v<Part, core::hinted_loop_part>) {
      hinted_call<const hint_source*, piece&> hinted_rest{{rest}, &part};
      fork_here<piece&, decltype(hinted_rest)&>(w, own, hinted_rest, all.thief_site());
    } else {
      fork_here<piece&, piece&>(w, own, rest, all.thief_site());
    }
  };
  combine_after(fork, rest, own);
}

template <class Part>
void help(void* frame, task_context& w) {
  const core::strand_divides division;
  auto& part = static_cast<Part&>(*without_tags<loop_share>(frame));
  take_back(part, w, part.room());
}

/// As run_dealt(), and combines the results with `acc`.
template <class Part>
void run_in_pieces(task_context& w, typename Part::run_of& all, std::uint64_t first, std::uint64_t size,
                   void* acc, const void* from) {
  const result_functions* const results = all.code.results;
  void* const result = SKUA_ROOM_FOR(results);
  try {
    run_dealt<Part>(w, all, first, size, result, from);
    combine(all, acc, result, first);
  } catch (...) {
    all.keep(first);
  }
}

}  // namespace

loop_part::run_so_far loop_part::push_slowly_from(task_context& w, slot* s, void* acc, const void* from) {
  name_loop(all_);
  if (core::deals_pieces(w, all_, size(), from)) {
    const bool hinted = reinterpret_cast<std::uintptr_t>(w.own_frame(s)) & hint_tag;
    if (w.pop(s)) {
      --w.pushes;  // the forks of its pieces are counted instead
      if (hinted)
        run_in_pieces<core::hinted_loop_part>(w, static_cast<core::hinted_run&>(all_), base_, size(), acc,
                                              from);
      else
        run_in_pieces<loop_part>(w, all_, base_, size(), acc, from);
      return run_so_far::all;
    }
    core::push_again<core::host_platform>(w, s);  // a thief has published it by force
  }
  w.worker->dealing.next_is_small = core::stays_private(w, all_, size(), from);
  const fork_way way = w.slow_loop(s, from, size(), all_.grain);
  w.worker->dealing.next_is_small = false;
  if (way == fork_way::watched) {
    loop_work_span told(w);
    run_told(acc, &told);
    told.ran_all();
    if (!w.pop(s) && !w.reclaim(s)) gather(w, s, acc);
    return run_so_far::all;
  }
  if (!core::host_platform::charges_code()) return run_so_far::nothing;
  run_told(acc, nullptr);
  return run_so_far::own_positions;
}

// An episode must end here, so it contains the whole loop.
[[gnu::noinline]] loop_part::run_so_far loop_part::push_slowly(task_context& w, slot* s, void* acc) {
  const void* const from = __builtin_return_address(0);
  auto measured = core::episode::of_loop(w, from, size(), s);
  run_so_far done = push_slowly_from(w, s, acc, from);
  if (!measured || done == run_so_far::all) return done;
  if (done == run_so_far::nothing) run_chunks<chunks::plain>(acc, nullptr);
  if (!w.pop(s) && !w.reclaim(s)) gather(w, s, acc);
  if (core::has_thrown(all_)) measured.drop();
  return run_so_far::all;
}

void help_loop(void* frame, task_context& w) {
  if (reinterpret_cast<std::uintptr_t>(frame) & hint_tag)
    help<core::hinted_loop_part>(frame, w);
  else
    help<loop_part>(frame, w);
}

// ---- what headers call. The caller is the loop's call site.

namespace {

/// An exception of the body is kept in `all`.
template <class Part>
[[gnu::noinline, gnu::cold]] void run_measured(task_context& w, typename Part::run_of& all,
                                               std::uint64_t size, void* result, const void* from) {
  auto measured = core::episode::of_loop(w, from, size);
  run_range<Part>(w, all, 0, size, result, from);
  if (core::has_thrown(all)) measured.drop();
}

template <class Part>
void run_whole(task_context& w, typename Part::run_of& all, std::uint64_t size, void* result,
               const void* from) {
  // relaxed: only the holder writes it, and thieves compare rates (small_loops.hpp).
  auto& begun = host_atomics::quietly(w.worker->loops_begun);
  begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (w.worker->pool->choices) [[unlikely]]
    return run_measured<Part>(w, all, size, result, from);
  run_range<Part>(w, all, 0, size, result, from);
}

}  // namespace

[[gnu::noinline]] void run_long_loop(task_context& w, loop_run& all, std::uint64_t size, void* result) {
  run_whole<loop_part>(w, all, size, result, __builtin_return_address(0));
}

[[gnu::noinline]] void run_plain_loop(task_context& w, const loop_functions& code, void* body,
                                      std::uint64_t size, std::uint32_t grain) {
  loop_run all(code, grain, body);
  run_whole<loop_part>(w, all, size, nullptr, __builtin_return_address(0));
  all.rethrow();
}

void run_in_other_way(loop_run& all, std::uint64_t size, loop_memo* memo, void* result, const void* from) {
  on_worker(
      [&](task_context& w) {
        if (memo)
          core::run_as_last(w, *memo, all, size, result);
        else
          run_whole<loop_part>(w, all, size, result, from);
      },
      from);
}

[[gnu::noinline]] void run_in_other_way(const loop_functions& code, void* body, std::uint64_t size,
                                        const loop_ways& how) {
  const void* const from = __builtin_return_address(0);
  on_worker(
      [&](task_context& w) {
        if (how.hint && !how.memo) {
          core::hinted_run all(code, how.grain, body, *how.hint, how.start);
          run_whole<core::hinted_loop_part>(w, all, size, nullptr, from);
          return all.rethrow();
        }
        loop_run all(code, how.grain, body);
        if (how.memo)
          core::run_as_last(w, *how.memo, all, size, nullptr);
        else
          run_whole<loop_part>(w, all, size, nullptr, from);
        all.rethrow();
      },
      from);
}

// ---- checks, and what loops ask

std::size_t worker_count(const task_context& w) noexcept { return w.worker->pool->workers(); }

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
