// The fork-join structure of a run, kept while it runs: work, span and burdened span as Cilkscale and Cilkview define
// them, and the places of the program that hold the span. Only with keep_report.
//
// A *strand* is what a stack runs between two forks, joins or waits, and its *path* the longest chain of strands that must
// run one after the other, from the beginning of the run to where it is. At a fork both callables begin at the same point of
// the path; at the join it goes on at the later of their two ends. Who takes a record begins where it was forked, and hands
// its end back beside the record. So the span is the end of the longest path, whoever ran what. A call from outside
// begins where the longest path ended of those calls that had ended by then, so that calls one after the other add up and
// calls beside each other do not. Waiting, and what a stack runs while it waits, is on no path of its own.
//
// A clock at every fork would cost more than a small fork. In real time a fork is *watched*, with a clock, where it is
// expected to hold at least a grain of work, and else taken as serial with all below it. What is expected is what the
// fork of the same place and depth held last: in the order of a recursion that is its brother or cousin. Forks that are
// taken as serial come to the slow path nevertheless, where they are counted; every sixteenth asks the clock whether the
// expectation was wrong, and then what follows is watched. Where they are too small even for that, the fast path is open,
// a level further down. On a simulated machine every fork is watched.
//
// A loop's pieces are what its owner and its thieves ran, but the program could have been cut anywhere: the span of a loop
// is that of its longest iteration (or so many iterations as its grain says), found as the largest average of a timed piece,
// or what a piece took beyond the average of those before it. Its burden is one steal a halving, down to pieces that are
// worth one.
//
// Not told apart yet: what a phase (skua/phase.hpp) runs is part of the strand that takes part in it, and a blocking call
// that a worker hands to another thread is on no path.
//
// A stack's structure belongs to who runs the stack. Nothing here is shared but by handing over: beside a record, in a
// group under its lock, and the book's own sums under its lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <skua/detail/task.hpp>
#include <skua/detail/worker.hpp>

#include "core/platform.hpp"
#include "observe/counting.hpp"
#include "observe/run_record.hpp"

namespace skua::core {

class stack;
class structure_book;
struct group_structure;
struct stolen_side;

enum class site_kind : std::uint8_t { none, join, loop, group };

/// A place of the program that forks: the return address of a call into skua, and which call. 0: outside of all forks.
using site = std::uint64_t;
inline constexpr unsigned site_kind_shift = 60;  // addresses are shorter
inline site site_at(site_kind kind, const void* address) noexcept {
  return reinterpret_cast<std::uint64_t>(address) | std::uint64_t{static_cast<std::uint8_t>(kind)}
                                                        << site_kind_shift;
}

struct site_part {
  site where;
  std::uint64_t ticks;
};

/// A point of a path, in ticks.
struct path_point {
  std::uint64_t span = 0, burdened = 0;
  friend path_point later(const path_point& a, const path_point& b) noexcept {
    return {std::max(a.span, b.span), std::max(a.burdened, b.burdened)};
  }
};

/// The end of a path, in the hands of who joins it.
struct path_end {  // zero bytes are an empty one
  static constexpr std::size_t most_parts = 12;
  path_point at;
  std::uint64_t work = 0;
  std::uint32_t parts = 0;
  site_part part[most_parts];
};

/// Beside a record that may be stolen. Zero bytes are an empty one.
struct child_structure {
  // By the owner, while nobody else sees the record.
  bool watched;
  std::uint32_t depth;
  site where;
  path_point begin;
  // By its thief, before it tells its end.
  bool ended;
  path_end end;
};

/// A task of a group that is watched, until it is run.
struct told_task {
  void (*run)(detail::task&, worker*);
  group_structure* group;
  path_point begin;
  site where;
  std::uint32_t depth;
};

/// What the places held, by who has run them. One writes, anybody reads.
class site_table {
 public:
  struct entry {
    std::atomic<site> where{0};
    observe::count work, times;
  };
  entry& of(site where) noexcept;
  template <class Use>
  void each(Use use) const {
    for (const entry& e : entries_)
      if (e.where.load(std::memory_order_relaxed) != 0) use(e);
  }
  void clear() noexcept {
    for (entry& e : entries_) {
      e.work.clear();
      e.times.clear();
    }
  }

 private:
  static constexpr std::size_t size = 128;
  std::array<entry, size> entries_;
  entry outside_, others_;  // of no site that is told
};

class stack_structure {
 public:
  stack_structure(structure_book& book, stack& of);
  ~stack_structure();

  /// What a fork held last, by place and depth.
  struct guess {
    std::uint64_t key = 0;
    std::uint32_t ticks = 0;
    std::uint8_t skipped = 0;  // since it was timed
    bool tiny = false;         // what it forks takes no longer than some forks
  };

  // ---- strands

  /// The strand ends here for a while.
  void stop() noexcept {
    if (open_) stop(host_platform::ticks());
  }
  void resume() noexcept {
    open_ = true;
    mark_ = host_platform::ticks();
  }
  bool runs() const noexcept { return open_; }

  // ---- forks and loops of this stack

  /// A push came to the slow path in what is taken as serial, and nothing else is to be done but to count it.
  bool counts_only() noexcept {
    if (!serial_ || serial_opens_ || (inside_serial_ + 1) % forks_between_checks == 0) return false;
    ++inside_serial_;
    return true;
  }
  /// A push of `s` came to the slow path. Does what is to be done there, too.
  detail::fork_way fork(detail::slot* s, site where);
  detail::fork_way loop(detail::slot* s, site where, std::uint64_t iterations, std::uint32_t grain);
  /// One whose callables lie in no slot; always watched.
  void begin_fork(site where);
  void end_first() noexcept;
  void begin_second() noexcept;
  void end_fork() noexcept;
  /// Before the record at `s` is taken back: its first callable has ended, if only by an exception.
  void before_reclaim(const detail::slot* s) noexcept {
    if (watches(s)) end_first();
  }
  /// Before a wait for the thief of the record at `s`: whether a strand ran; and after it.
  bool before_child(const detail::slot* s) noexcept;
  void child_ended(const detail::slot* s, bool ran) noexcept;
  /// The second callable of the fork that is watched, run elsewhere.
  void child_ended(const path_end& end) noexcept;

  /// Returns after how many chunks it wants to be called next.
  std::uint32_t end_piece(std::uint64_t iterations) noexcept;
  void begin_chunk() noexcept {
    if (!open_) resume();
  }
  void ran_all() noexcept;
  void end_loop() noexcept;

  /// Whether what runs is on a path, which may fork.
  bool on_path() const noexcept { return open_ && !pathless_; }
  /// For who takes what is forked here.
  void describe(child_structure& child) const noexcept;
  child_structure* child(const detail::slot* s) noexcept;

  // ---- tasks

  /// What a stack was doing when it began another task on top.
  struct outer_task {
    bool open, pathless, watched;
    std::uint64_t work;
    path_point path;
    site where;
    std::uint32_t base, depth;
    detail::slot* serial;
    guess* serial_guess;
  };
  outer_task begin_task(const path_point& at, site where, std::uint32_t depth) noexcept;
  void end_task(const outer_task& outer, path_end* end) noexcept;

  // ---- groups (structure_groups.cpp)

  bool inside_serial() const noexcept { return serial_ != nullptr; }
  bool keeps_with(const structure_book& book) const noexcept { return &book == &book_; }
  group_structure* begin_group(site where);
  /// A push of a task of the group to `s` came to the slow path.
  void tell_task(group_structure& group, detail::task_pool& pool, detail::slot* s);
  /// What is run from here on is work and on no path, but for watched tasks; until end_task().
  outer_task begin_pathless(site where) noexcept;
  void leave_group(group_structure& group, const outer_task& outer) noexcept;

  // For the book.
  observe::count own_work, loops;
  site_table sites;

 private:
  static constexpr std::uint32_t forks_between_checks = 16;  // inside one that is taken as serial
  enum class kind : std::uint8_t { watched, serial, opened, loop };
  enum class stage : std::uint8_t { first, between, second, stolen };
  /// A fork or a loop that has not ended.
  struct frame {
    kind what;
    stage now;
    detail::slot* slot;
    site outer;  // what the path is in around it
    // Of the path's parts: where those around it begin; and those of its two callables.
    std::uint32_t base, first_base, second_base;
    path_point begin, first, second;
    std::uint64_t work, child_work;  // of the stack, when it began, and its second callable
    std::uint64_t pushes;
    std::uint64_t clock;
    guess* expected;
    // Of a loop. `first` is its longest iteration, from 0 on.
    std::uint32_t grain = 1, chunks_a_piece = 1;
    std::uint64_t iterations = 0, ran = 0, pieces_span = 0;
  };

  void stop(std::uint64_t now) noexcept;
  void resume(std::uint64_t now) noexcept {
    open_ = true;
    mark_ = now;
  }
  guess& guess_of(site where) noexcept;
  bool expects_little(guess& g) noexcept;
  void expect(guess* g, std::uint64_t ticks) noexcept;
  bool tell_core(detail::slot* s);
  frame& watch(kind what, detail::slot* s, site outer, guess* g);
  frame& begin(kind what, detail::slot* s, site where, guess* g);
  void tell_thief(detail::slot* s) noexcept;
  bool watches(const detail::slot* s) const noexcept {
    return !frames_.empty() && frames_.back().slot == s &&
           (frames_.back().what == kind::watched || frames_.back().what == kind::loop);
  }
  detail::fork_way fork_inside_serial(detail::slot* s, site where);
  void end_watched() noexcept;
  void end_serial() noexcept;
  void join(const frame& f, const path_point& first, const path_point& second) noexcept;
  void keep_longest_piece(frame& f, std::uint64_t longest, std::uint64_t span) noexcept;
  void go_to(site where) noexcept;
  void add_part(site where, std::uint64_t ticks);
  /// Those from `from` to `to` are of this path now, and the others of the innermost frame forgotten.
  void keep_parts(std::uint32_t base, std::uint32_t from, std::uint32_t to);
  void add_parts(const path_end& end);
  void set_watched(bool watched) noexcept;
  std::uint32_t between_tasks(site group) noexcept;
  void refresh_expectation(std::uint64_t work) noexcept;

  structure_book& book_;
  stack& of_;
  bool open_ = false;      // a strand runs since `mark_`
  bool pathless_ = false;  // it is work and on no path: tasks of a group that are not timed one by one
  std::uint64_t mark_ = 0;
  path_point path_;
  site where_ = 0;
  site_table::entry* entry_;  // of `where_`
  std::uint64_t work_ = 0;    // here and by thieves, for what is expected
  std::uint32_t base_ = 0;    // the path's parts begin here
  std::uint32_t depth_ = 0;
  detail::slot* serial_ = nullptr;  // of the fork that is taken as serial with all below
  guess* serial_guess_ = nullptr;   // of the last one below the fork that is watched
  std::uint32_t inside_serial_ = 0;
  bool serial_opens_ = false;  // what it forks is too small to be counted
  std::vector<site_part> parts_;
  std::vector<frame> frames_;
  std::array<guess, 256> guesses_{};
  child_structure* children_ = nullptr;  // as many as slots, of which the system gives what is touched
};

/// Of one scheduler.
class structure_book {
 public:
  explicit structure_book(bool simulated);

  /// For good.
  void add(stack& s);
  /// What lies beside the record to which this belongs; null where nobody knows it.
  child_structure* child_of(const stolen_side* side) const;
  /// A record that lies in no stack's slots.
  void add_child(const stolen_side* side, child_structure& child);
  void remove_child(const stolen_side* side);

  path_point begin_call() const;
  void end_call(const path_end& end);

  /// The run so far. `forks`: all records that were pushed, of loops too.
  observe::structure_record read(double ns_a_tick, std::uint64_t forks, std::uint64_t group_tasks) const;
  void clear();

  std::uint32_t keep(const told_task& task);
  told_task take(std::uint32_t number);

  bool exact() const noexcept { return exact_; }
  std::uint64_t grain_ticks() const noexcept { return grain_ticks_; }
  std::uint64_t burden_ticks() const noexcept { return burden_ticks_; }
  std::uint64_t tiny_fork_ticks() const noexcept { return tiny_fork_ticks_; }

 private:
  const bool exact_;
  std::uint64_t grain_ticks_, burden_ticks_, tiny_fork_ticks_;
  double grain_ns_;
  mutable std::mutex guard_;  // real also where time is virtual: nobody else runs meanwhile
  std::vector<std::unique_ptr<stack_structure>> stacks_;
  std::map<const stolen_side*, std::pair<stack*, stack_structure*>> by_sides_;
  std::map<const stolen_side*, child_structure*> loose_;
  std::mutex tasks_guard_;
  std::deque<told_task> tasks_;
  std::vector<std::uint32_t> free_tasks_;
  path_point longest_;                   // of the calls that have ended
  path_point before_;                    // at clear()
  std::map<site, std::uint64_t> parts_;  // of the longest path since then
};

/// What a stack runs on top of what it was doing, while this lives; nothing without a structure.
class task_structure {
 public:
  /// A stolen join.
  task_structure(stack& self, const stolen_side& side);
  /// A call from outside.
  explicit task_structure(stack& self);
  task_structure(stack& self, const told_task& task);
  ~task_structure() { end(); }
  task_structure(const task_structure&) = delete;
  task_structure& operator=(const task_structure&) = delete;
  /// Before its end is told.
  void end() noexcept;

 private:
  enum class what : std::uint8_t { child, call, group_task };
  stack_structure* structure_;
  structure_book* book_ = nullptr;
  child_structure* child_ = nullptr;
  group_structure* group_ = nullptr;
  what what_ = what::child;
  stack_structure::outer_task outer_;
};

/// A fork whose second callable lies in no slot, while both run; nothing where no path is kept.
class loose_fork {
 public:
  loose_fork(stack& self, const void* from);
  ~loose_fork();
  loose_fork(const loose_fork&) = delete;
  loose_fork& operator=(const loose_fork&) = delete;
  void second_is(const stolen_side& side);
  /// A callable is run here; and has ended.
  void begins(bool second) noexcept;
  void ended() noexcept;
  /// Somebody else has run the second one.
  void second_was_taken() noexcept;

 private:
  stack_structure* structure_;
  const stolen_side* second_ = nullptr;
  structure_book* book_;
  std::unique_ptr<child_structure> child_;
};

/// The strand pauses while this lives.
class strand_stops {
 public:
  explicit strand_stops(stack_structure* s) noexcept : structure_(s && s->runs() ? s : nullptr) {
    if (structure_) structure_->stop();
  }
  ~strand_stops() {
    if (structure_) structure_->resume();
  }
  strand_stops(const strand_stops&) = delete;
  strand_stops& operator=(const strand_stops&) = delete;

 private:
  stack_structure* structure_;
};

/// What the core does around code of the program, which runs on: on a simulated machine it takes time.
class around_code {
 public:
  explicit around_code(const worker& w) noexcept
      : structure_(w.structure && host_platform::in_virtual_time() && w.structure->runs() ? w.structure
                                                                                          : nullptr) {
    if (structure_) structure_->stop();
  }
  ~around_code() {
    if (structure_) structure_->resume();
  }
  around_code(const around_code&) = delete;
  around_code& operator=(const around_code&) = delete;

  /// The code itself.
  void call(void (*code)(void*, worker&), void* data, worker& w) const {
    const inside here(structure_);
    code(data, w);
  }

 private:
  struct inside {
    explicit inside(stack_structure* s) noexcept : structure(s) {
      if (structure) structure->resume();
    }
    ~inside() {
      if (structure) structure->stop();
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    stack_structure* structure;
  };
  stack_structure* structure_;
};

}  // namespace skua::core
