// Strands, paths and forks of one stack.
#include "core/structure.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "core/scheduler_core.hpp"

namespace skua::core {

using detail::fork_way;

namespace {

constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
constexpr unsigned most_skipped = 16;       // forks taken as serial between two that are timed
constexpr std::ptrdiff_t opened_below = 1;  // levels

}  // namespace

stack_structure::stack_structure(structure_book& book, stack& of)
    : book_(book), of_(of), entry_(&sites.of(0)), children_(nullptr) {
  // The system gives pages of zeros, when they are touched.
  children_ = static_cast<child_structure*>(std::calloc(join_capacity, sizeof(child_structure)));
  if (!children_) throw std::bad_alloc();
  parts_.reserve(256);
  frames_.reserve(64);
  of.structure = this;
  if (!book.exact()) set_watched(true);
}

stack_structure::~stack_structure() { std::free(children_); }

site_table::entry& site_table::of(site where) noexcept {
  if (where == 0) return outside_;
  std::size_t at = static_cast<std::size_t>(detail::strand::mix(where));
  for (std::size_t i = 0; i < size; ++i) {
    entry& e = entries_[(at + i) % size];
    const site there = e.where.load(std::memory_order_relaxed);
    if (there == where) return e;
    if (there != 0) continue;
    e.where.store(where, std::memory_order_relaxed);
    return e;
  }
  return others_;  // more places than anybody wants to read about
}

child_structure* stack_structure::child(const detail::slot* s) noexcept {
  return s && s < of_.last ? children_ + (s - of_.slots) : nullptr;
}

// ---- strands

void stack_structure::stop(std::uint64_t now) noexcept {
  open_ = false;
  const std::uint64_t ticks = now > mark_ ? now - mark_ : 0;  // another CPU's clock may show less
  own_work.add(ticks);
  work_ += ticks;
  entry_->work.add(ticks);
  if (pathless_) return;
  path_.span += ticks;
  path_.burdened += ticks;
  add_part(where_, ticks);
}

void stack_structure::go_to(site where) noexcept {
  if (where == where_) return;
  where_ = where;
  entry_ = &sites.of(where);
}

void stack_structure::add_part(site where, std::uint64_t ticks) {
  for (std::size_t i = parts_.size(); i-- > base_;)
    if (parts_[i].where == where) {
      parts_[i].ticks += ticks;
      return;
    }
  try {
    parts_.push_back({where, ticks});
  } catch (const std::bad_alloc&) {  // then nobody learns where these were spent
  }
}

void stack_structure::keep_parts(std::uint32_t base, std::uint32_t from, std::uint32_t to) {
  std::array<site_part, 64> kept;
  const std::size_t n = std::min<std::size_t>(to - from, kept.size());
  std::copy_n(parts_.begin() + from, n, kept.begin());
  parts_.resize(std::min<std::size_t>(from, frames_.back().first_base));
  base_ = base;
  for (std::size_t i = 0; i < n; ++i) add_part(kept[i].where, kept[i].ticks);
}

void stack_structure::add_parts(const path_end& end) {
  for (std::uint32_t i = 0; i < end.parts; ++i)
    add_part(end.part[i].where == 0 ? where_ : end.part[i].where, end.part[i].ticks);
}

// ---- what is expected

stack_structure::guess& stack_structure::guess_of(site where) noexcept {
  const std::uint64_t key = detail::strand::mix(where + depth_) | 1;
  guess& g = guesses_[key >> 56];
  if (g.key != key) g = {.key = key, .ticks = unknown};
  return g;
}

bool stack_structure::expects_little(guess& g) noexcept {
  if (g.ticks >= book_.grain_ticks()) return false;
  if (++g.skipped < most_skipped) return true;
  g.skipped = 0;
  return false;
}

void stack_structure::expect(guess* g, std::uint64_t ticks) noexcept {
  if (g) g->ticks = static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, unknown - 1));
}

// What a callable of a watched fork held is at least what the fork in it did.
void stack_structure::refresh_expectation(std::uint64_t work) noexcept {
  expect(std::exchange(serial_guess_, nullptr), work);
}

// A request that comes meanwhile is not lost: `limit` first, then the reasons.
void stack_structure::set_watched(bool watched) noexcept {
  of_.watched = watched;
  if (of_.deque || !of_.seat) {
    return;  // begin_task() of the core sets the limit
  }
  rearm_joins(of_);
  attend_to_messages(of_);
  if (of_.seat->pool->hungry() || of_.seat->thief_expected) request<host_platform>(of_);
}

// ---- forks

bool stack_structure::tell_core(detail::slot* s) {
  if (!s) return false;
  if (!book_.exact() && nobody_asked<host_platform>(of_, s)) return false;
  of_.slow_push(s);
  return true;
}

stack_structure::frame& stack_structure::watch(kind what, detail::slot* s, site where, guess* g) {
  const auto size = static_cast<std::uint32_t>(parts_.size());
  frames_.push_back({.what = what,
                     .now = stage::first,
                     .slot = s,
                     .outer = where,
                     .base = base_,
                     .first_base = size,
                     .second_base = size,
                     .begin = path_,
                     .first = {},
                     .second = {},
                     .work = work_,
                     .child_work = work_,
                     .pushes = of_.pushes,
                     .clock = 0,
                     .expected = g});
  return frames_.back();
}

fork_way stack_structure::fork(detail::slot* s, site where) {
  if (!open_ || pathless_) {
    tell_core(s);
    return fork_way::plain;
  }
  if (book_.exact()) {
    begin(kind::watched, s, where, nullptr);
    return fork_way::watched;
  }
  if (serial_) return fork_inside_serial(s, where);
  guess& g = guess_of(where);
  if (!expects_little(g)) {
    begin(kind::watched, s, where, &g);
    return fork_way::watched;
  }
  tell_core(s);
  watch(kind::serial, s, where, &g);
  serial_ = s;
  inside_serial_ = 0;
  serial_opens_ = g.tiny && !of_.deque;
  return fork_way::watched;
}

fork_way stack_structure::fork_inside_serial(detail::slot* s, site where) {
  frame& root = frames_.back();
  const bool opened = !of_.watched || root.what != kind::serial;
  if (opened) {
    tell_core(s);
    return fork_way::plain;
  }
  if (serial_opens_ && s - serial_ >= opened_below) {
    tell_core(s);
    watch(kind::opened, s, where, nullptr);
    set_watched(false);
    return fork_way::watched;
  }
  if (++inside_serial_ % forks_between_checks == 0) {
    const std::uint64_t now = host_platform::ticks();
    if (root.clock == 0) {
      root.clock = now;
    } else if (now > root.clock + 2 * book_.grain_ticks()) {
      expect(root.expected, unknown);
      serial_ = nullptr;
      begin(kind::watched, s, where, &guess_of(where));
      return fork_way::watched;
    }
  }
  tell_core(s);
  return fork_way::plain;
}

void stack_structure::begin_fork(site where) { begin(kind::watched, nullptr, where, nullptr); }

stack_structure::frame& stack_structure::begin(kind what, detail::slot* s, site where, guess* g) {
  const std::uint64_t now = host_platform::ticks();
  if (open_) stop(now);
  frame& f = watch(what, s, where_, g);
  go_to(where);
  entry_->times.add();
  ++depth_;
  base_ = f.first_base;
  tell_thief(s);
  const bool long_ago = tell_core(s) || book_.exact();
  resume(long_ago ? host_platform::ticks() : now);
  return frames_.back();
}

namespace {

void push_again(stack& of, detail::slot* s) noexcept {
  detail::host_atomics::quietly(of.top).store(s + 1, std::memory_order_release);  // as in push
  host_platform::light_fence();
}

}  // namespace

// While nobody else sees the record. One that somebody has made public by force meanwhile goes without.
void stack_structure::tell_thief(detail::slot* s) noexcept {
  child_structure* const c = child(s);
  if (!c) return;
  const bool in_queue = !of_.deque;
  if (in_queue && !of_.pop(s)) {
    push_again(of_, s);
    return;
  }
  describe(*c);
  if (in_queue) push_again(of_, s);
}

void stack_structure::describe(child_structure& child) const noexcept {
  child.watched = true;
  child.ended = false;
  child.depth = depth_;
  child.where = where_;
  child.begin = {path_.span, path_.burdened + book_.burden_ticks()};
}

void stack_structure::end_first() noexcept {
  frame& f = frames_.back();
  if (f.what != kind::watched || f.now != stage::first) return;
  f.clock = host_platform::ticks();
  if (open_) stop(f.clock);
  f.now = stage::between;
  f.first = path_;
  f.second_base = static_cast<std::uint32_t>(parts_.size());
  refresh_expectation(work_ - f.work);
  f.child_work = work_;
  path_ = f.begin;
  base_ = f.second_base;
}

void stack_structure::begin_second() noexcept {
  frame& f = frames_.back();
  if (f.what != kind::watched) return;
  f.now = stage::second;
  path_.burdened += book_.burden_ticks();
  resume(book_.exact() ? host_platform::ticks() : f.clock);
}

void stack_structure::end_fork() noexcept {
  switch (frames_.back().what) {
    case kind::watched:
      return end_watched();
    case kind::serial:
      return end_serial();
    default:
      frames_.pop_back();
      set_watched(true);
  }
}

void stack_structure::end_serial() noexcept {
  frame& f = frames_.back();
  if (serial_ == f.slot) serial_ = nullptr;
  const std::uint64_t forks = of_.pushes > f.pushes ? of_.pushes - f.pushes : 1;
  f.expected->tiny = f.expected->ticks / (forks + 1) < book_.tiny_fork_ticks();
  sites.of(f.outer).times.add(forks + 1);
  serial_guess_ = f.expected;
  frames_.pop_back();
}

void stack_structure::end_watched() noexcept {
  end_first();  // unless it has returned
  frame& f = frames_.back();
  const std::uint64_t now = host_platform::ticks();
  if (f.now == stage::second) {
    if (open_) stop(now);
    f.second = path_;
  } else if (f.now != stage::stolen) {
    f.second = f.begin;
  }
  refresh_expectation(work_ - f.child_work);
  expect(f.expected, work_ - f.work);
  join(f, f.first, f.second);
  resume(now);
}

void stack_structure::join(const frame& f, const path_point& first, const path_point& second) noexcept {
  const bool first_is_longer = first.span >= second.span;
  const auto size = static_cast<std::uint32_t>(parts_.size());
  if (child_structure* const c = child(f.slot)) c->watched = false;
  path_ = later(first, second);
  go_to(f.outer);
  --depth_;
  keep_parts(f.base, first_is_longer ? f.first_base : f.second_base, first_is_longer ? f.second_base : size);
  frames_.pop_back();
}

// ---- stolen ones

bool stack_structure::before_child(const detail::slot* s) noexcept {
  const bool ran = open_;
  if (watches(s)) end_first();
  stop();
  return ran;
}

void stack_structure::child_ended(const detail::slot* s, bool ran) noexcept {
  child_structure* const c = child(s);
  const bool told = c && std::exchange(c->ended, false);
  if (watches(s)) {
    if (told) child_ended(c->end);
    return;
  }
  if (told) {  // of a fork that is taken as serial
    work_ += c->end.work;
    path_.span += c->end.at.span;
    path_.burdened += c->end.at.burdened;
    add_parts(c->end);
  }
  if (ran) resume();
}

void stack_structure::child_ended(const path_end& end) noexcept {
  frame& f = frames_.back();
  f.now = stage::stolen;
  f.second = end.at;
  f.second_base = static_cast<std::uint32_t>(parts_.size());
  base_ = f.second_base;
  work_ += end.work;
  add_parts(end);
}

// ---- tasks

stack_structure::outer_task stack_structure::begin_task(const path_point& at, site where,
                                                        std::uint32_t depth) noexcept {
  const outer_task outer{open_,  pathless_, of_.watched, work_,   path_,
                         where_, base_,     depth_,      serial_, serial_guess_};
  stop();
  if (!of_.watched && !book_.exact()) set_watched(true);
  pathless_ = false;
  work_ = 0;
  path_ = at;
  go_to(where);
  base_ = static_cast<std::uint32_t>(parts_.size());
  depth_ = depth;
  serial_ = nullptr;
  serial_guess_ = nullptr;
  resume();
  return outer;
}

void stack_structure::end_task(const outer_task& outer, path_end* end) noexcept {
  stop();
  if (end) {
    end->at = path_;
    end->work = work_;
    const auto first = parts_.begin() + base_;
    const auto n = std::min<std::ptrdiff_t>(parts_.end() - first, path_end::most_parts);
    std::partial_sort(first, first + n, parts_.end(),
                      [](const site_part& a, const site_part& b) { return a.ticks > b.ticks; });
    std::copy_n(first, n, end->part);
    end->parts = static_cast<std::uint32_t>(n);
  }
  parts_.resize(base_);
  of_.watched = outer.watched;  // where it was open, the next push opens it
  pathless_ = outer.pathless;
  work_ = outer.work;
  path_ = outer.path;
  go_to(outer.where);
  base_ = outer.base;
  depth_ = outer.depth;
  serial_ = outer.serial;
  serial_guess_ = outer.serial_guess;
  if (outer.open) resume();
}

}  // namespace skua::core
