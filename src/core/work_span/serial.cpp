// How much work forks are expected to hold, and forks that are taken as serial because they hold too little for a
// clock.
#include <algorithm>
#include <new>
#include <utility>

#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

using detail::fork_way;

namespace {

constexpr unsigned max_skipped = 16;        // forks taken as serial between two timed ones
constexpr std::ptrdiff_t opened_below = 1;  // levels

}  // namespace

// ---- expectations

stack_work_span::guess& stack_work_span::guess_of(site where) noexcept {
  const std::uint64_t key = detail::strand::mix(where + depth_) | 1;
  guess& g = guesses_[key >> 56];
  if (g.key != key) g = {.key = key, .ticks = unknown_ticks};
  return g;
}

bool stack_work_span::expects_little(guess& g) noexcept {
  if (g.ticks >= totals_.grain_ticks()) return false;
  if (++g.skipped < max_skipped) return true;
  g.skipped = 0;
  return false;
}

void stack_work_span::expect(guess* g, std::uint64_t ticks) noexcept {
  if (g) g->ticks = static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, unknown_ticks - 1));
}

// A callable of a watched fork holds at least as much as the fork inside it.
void stack_work_span::refresh_expectation(std::uint64_t work) noexcept {
  expect(std::exchange(serial_guess_, nullptr), work);
}

// No request gets lost: this sets `limit` first and then reads the reasons for requests.
void stack_work_span::set_watched(bool watched) noexcept {
  of_.watched = watched;
  if (of_.deque || !of_.worker) {
    return;  // the core's begin_task() sets the limit
  }
  rearm_joins(of_);
  attend_to_messages(of_);
  if (of_.worker->pool->any_idle() || of_.worker->thief_expected) request<host_platform>(of_);
}

// ---- calls that are not measured

void stack_work_span::forks_are_not_seen() noexcept {
  if (unseen_ || of_.deque) return;
  unseen_ = true;
  unattributed_before_ = unattributed();
  a_call_ = std::exchange(outermost_, {});
  // An idle worker is no reason to publish here. As without a report, the owner publishes when it is asked (idle/unanswered.hpp).
  of_.watched = false;
  end_watch<host_platform>(of_);
}

// The calls had as many outermost forks and loops as the last one before them; some of groups may have been seen. The other records
// were pushed inside of these.
void stack_work_span::forks_are_seen(std::uint32_t calls) noexcept {
  if (unseen_) {
    unseen_ = false;
    const auto missing = [calls](std::uint64_t a_call, std::uint64_t seen) {
      return calls * a_call - std::min(calls * a_call, seen);
    };
    const std::uint64_t pushed = unattributed() - unattributed_before_;
    const std::uint64_t times = missing(a_call_.forks, outermost_.forks);
    attributed_ += pushed;
    call_site_table::entry& there = sites.of(a_call_.where, where_);
    there.times.add(times);
    there.inside.add(pushed - std::min(pushed, times));
    loops.add(missing(a_call_.loops, outermost_.loops));
    set_watched(true);
  }
  outermost_ = {};
}

// ---- forks

std::uint64_t stack_work_span::unattributed() const noexcept { return folded_ + of_.pushes - attributed_; }

// Keeping a report must not end the program, so a failed allocation is not an error.
bool stack_work_span::has_frame() noexcept try {
  if (frames_.size() == frames_.capacity()) frames_.reserve(2 * frames_.capacity());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

fork_way stack_work_span::fork(detail::slot* s, site where) {
  if (!open_ || pathless_ || unseen_ || !has_frame()) {
    push_on_slow_path(s);
    return fork_way::plain;
  }
  if (totals_.exact()) {
    begin(kind::watched, s, where, nullptr);
    return fork_way::watched;
  }
  if (serial_) return fork_inside_serial(s, where);
  sees_outermost(where);
  guess& g = guess_of(where);
  if (!expects_little(g)) {
    begin(kind::watched, s, where, &g);
    return fork_way::watched;
  }
  push_on_slow_path(s);
  ++attributed_;
  watch(kind::serial, s, where, &g);
  serial_ = s;
  inside_serial_ = 0;
  serial_opens_ = g.tiny && !of_.deque;
  return fork_way::watched;
}

fork_way stack_work_span::fork_inside_serial(detail::slot* s, site where) {
  frame& root = frames_.back();
  const bool opened = !of_.watched || root.what != kind::serial;
  if (opened) {
    push_on_slow_path(s);
    return fork_way::plain;
  }
  if (serial_opens_ && s - serial_ >= opened_below) {
    push_on_slow_path(s);
    watch(kind::opened, s, where, nullptr);
    set_watched(false);
    return fork_way::watched;
  }
  if (++inside_serial_ % forks_between_checks == 0) {
    const std::uint64_t now = host_platform::ticks();
    if (root.clock == 0) {
      root.clock = now;
    } else if (now > root.clock + totals_.outgrown_ticks()) {
      expect(root.expected, unknown_ticks);
      serial_ = nullptr;
      begin(kind::watched, s, where, &guess_of(where));
      return fork_way::watched;
    }
  }
  push_on_slow_path(s);
  return fork_way::plain;
}

void stack_work_span::end_serial() noexcept {
  frame& f = frames_.back();
  if (serial_ == f.slot) serial_ = nullptr;
  const std::uint64_t inside = unattributed() - f.unattributed;
  attributed_ += inside;
  f.expected->tiny = f.expected->ticks / (std::max<std::uint64_t>(inside, 1) + 1) < totals_.tiny_fork_ticks();
  call_site_table::entry& here = sites.of(f.outer, where_);
  here.times.add();
  here.inside.add(inside);
  serial_guess_ = f.expected;
  frames_.pop_back();
}

}  // namespace skua::core
