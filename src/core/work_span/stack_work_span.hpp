// Work and span (work_span.hpp) of one stack: its strands, and its forks, loops and groups that have not ended.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "core/platform/platform.hpp"
#include "core/work_span/paths.hpp"
#include "observe/counting.hpp"

namespace skua::core {

class stack;
class work_span_totals;

class stack_work_span {
 public:
  stack_work_span(work_span_totals& totals, stack& of);
  ~stack_work_span();

  static constexpr std::uint32_t unknown_ticks = std::numeric_limits<std::uint32_t>::max();

  /// What the last fork of a call site and depth held.
  struct guess {
    std::uint64_t key = 0;
    std::uint32_t ticks = 0;
    std::uint8_t skipped = 0;  // forks since one was timed
    bool tiny = false;         // what it forks takes no longer than a few forks
  };

  // ---- strands

  /// Pauses the strand.
  void stop() noexcept {
    if (open_) stop(host_platform::ticks());
  }
  void resume() noexcept {
    open_ = true;
    mark_ = host_platform::ticks();
  }
  /// It has paused at that time.
  void stop_at(std::uint64_t ticks) noexcept {
    if (open_) stop(ticks);
  }
  bool runs() const noexcept { return open_; }

  // ---- forks and loops of this stack

  /// The site of a call that returns to `address`; inside a call from outside, the site of that call.
  site call_site(call_site_kind of, const void* address) const noexcept {
    return site_at(of, called_from_ && depth_ == 0 && !serial_ ? called_from_ : address);
  }
  /// The task that has begun is a call from outside, for one fork or group task; null: for more than that.
  void called_from(const void* from) noexcept { called_from_ = from; }

  // ---- calls that are not measured (record/call_row.hpp)

  /// From now on the forks and loops of the running code take the fast path where no one asks for more, and those that do not
  /// take it are not recorded.
  void forks_are_not_seen() noexcept;
  /// The forks are seen again, if they were not: at the beginning of a call or at an end, after so many calls that were like the
  /// last one before them.
  void forks_are_seen(std::uint32_t calls) noexcept;

  /// True when a push took the slow path inside a part that is taken as serial and only has to be counted; counts it.
  bool counts_only() noexcept {
    if (!serial_ || serial_opens_ || (inside_serial_ + 1) % forks_between_checks == 0) return false;
    ++inside_serial_;
    return true;
  }
  /// A push of `s` took the slow path. Also runs the core's slow path where that is needed.
  detail::fork_way fork(detail::slot* s, site where);
  detail::fork_way loop(detail::slot* s, site where, std::uint64_t iterations, std::uint32_t grain);
  /// A loop begins that is dealt (dealing/dealt_loops.hpp): its pieces belong to its call site. Returns the call site to which
  /// end_dealt_loop() goes back.
  site begin_dealt_loop(site where, std::uint64_t iterations) noexcept;
  void end_dealt_loop(site outer) noexcept;
  /// Whether there is memory to watch one more fork.
  bool has_frame() noexcept;
  /// A fork whose callables lie in no slot; always watched. Only after has_frame().
  void begin_fork(site where);
  void end_first() noexcept;
  void begin_second() noexcept;
  void end_fork() noexcept;
  /// Before the record at `s` is reclaimed: its first callable has ended, perhaps by an exception.
  void before_reclaim(const detail::slot* s) noexcept {
    if (watches(s)) end_first();
  }
  /// Before and after a wait for the thief of the record at `s`.
  struct child_wait {
    bool strand_ran = false;
    std::uint64_t begin = 0;
  };
  child_wait before_child(const detail::slot* s) noexcept;
  void child_ended(const detail::slot* s, const child_wait& waits) noexcept;
  /// The second callable of the watched fork has ended on another stack.
  void child_ended(const path_end& end) noexcept;

  /// A thief has taken a part of the loop that runs here, and forks at `thiefs`. The thief does not know the loop if it took the
  /// part before describe_to_thief().
  void loop_has_thief(site thiefs) noexcept {
    if (!frames_.empty() && frames_.back().what == kind::loop) sites.of(thiefs, where_);
  }

  /// Returns the number of chunks until it is to be called again.
  std::uint32_t end_piece(std::uint64_t iterations) noexcept;
  void begin_chunk() noexcept {
    if (!open_) resume();
  }
  void ran_all() noexcept;
  void end_loop() noexcept;

  /// Whether the running code is on a path, so that its forks are recorded.
  bool on_path() const noexcept { return open_ && !pathless_; }
  /// Writes what the thief of a task that is forked here needs.
  void describe(child_work_span& child) const noexcept;
  child_work_span* child(const detail::slot* s) noexcept;

  // ---- tasks

  /// A group that is taken as serial, with all groups inside it, from its first task until its wait.
  struct little_part {
    const void* group = nullptr;  // null: none
    guess* expected = nullptr;
    std::uint32_t pushes = 0;  // of tasks of the groups inside it
    std::uint64_t began = 0;
  };
  /// What a call from outside forks.
  struct outermost {
    site where = 0;           // of its last fork or loop that lies in no other one
    std::uint64_t forks = 0;  // and loops that lie in no other one
    std::uint64_t loops = 0;  // all
  };
  /// The state of a stack when it began another task on top.
  struct outer_task {
    bool open, pathless, watched, unseen;
    const detail::slot* of_call;
    std::uint64_t work;
    path_point path;
    site where;
    std::uint32_t base, depth;
    const void* called_from;
    detail::slot* serial;
    guess* serial_guess;
    std::uint64_t unattributed;
    little_part little;
    outermost forks;
  };
  outer_task begin_task(const path_point& at, site where, std::uint32_t depth) noexcept;
  /// The task that has begun is a call from outside.
  void is_call() noexcept;
  void end_task(const outer_task& outer, path_end* end) noexcept;

  // ---- groups (groups.cpp)

  /// Whether the running code is taken as serial; counts a push of a task.
  bool inside_serial() noexcept {
    if (serial_) return true;
    return little_.group && (++little_.pushes % forks_between_checks != 0 || still_little());
  }
  bool belongs_to(const work_span_totals& totals) const noexcept { return &totals == &totals_; }
  /// `group` is the group's address, which identifies it at its end.
  group_work_span* begin_group(const void* group, site where);
  void end_little(const void* group) noexcept {
    if (little_.group == group) little_ = {};
  }
  /// A push of a task of the group to `s` took the slow path; watches the task if the group wants it.
  void watch_task(group_work_span& group, detail::task_pool& pool, detail::slot* s);
  /// Until end_task() the running code counts as work and is on no path, except for watched tasks.
  outer_task begin_pathless(site where) noexcept;
  void leave_group(group_work_span& group, const outer_task& outer) noexcept;

  /// The stack's counter of pushes has been added to another one and starts again from 0.
  void folded(std::uint64_t pushes) noexcept { folded_ += pushes; }

  // Read by work_span_totals.
  observe::count own_work, loops;
  call_site_table sites;

 private:
  static constexpr std::uint32_t forks_between_checks = 16;  // inside a fork that is taken as serial
  enum class kind : std::uint8_t { watched, serial, opened, loop };
  enum class stage : std::uint8_t { first, between, second, stolen };
  /// A fork or a loop that has not ended.
  struct frame {
    kind what;
    stage now;
    detail::slot* slot;
    site outer;  // the call site around it on the path
    // Where the path's parts begin: those around it, and those of its two callables.
    std::uint32_t base, first_base, second_base;
    path_point begin, first, second;
    std::uint64_t work, child_work;  // of the stack when it began, and when its second callable began
    std::uint64_t unattributed;
    std::uint64_t clock;
    guess* expected;
    // For a loop. Its `first` is its longest iteration, starting at 0.
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
  bool push_on_slow_path(detail::slot* s);
  frame& watch(kind what, detail::slot* s, site outer, guess* g);
  frame& begin(kind what, detail::slot* s, site where, guess* g);
  void describe_to_thief(detail::slot* s) noexcept;
  /// Whether the record at `s` is that of the innermost frame. Once that runs its second callable, the slot may be
  /// reused.
  bool watches(const detail::slot* s) const noexcept {
    return !frames_.empty() && frames_.back().slot == s && frames_.back().now != stage::second &&
           (frames_.back().what == kind::watched || frames_.back().what == kind::loop);
  }
  detail::fork_way fork_inside_serial(detail::slot* s, site where);
  bool still_little() noexcept;
  void serial_child_ended(const path_end& end, std::uint64_t waited) noexcept;
  void end_watched() noexcept;
  void end_serial() noexcept;
  void join(const frame& f, const path_point& first, const path_point& second) noexcept;
  void keep_longest_piece(frame& f, std::uint64_t longest, std::uint64_t span) noexcept;
  void go_to(site where) noexcept;
  void add_part(site where, std::uint64_t ticks);
  /// Keeps the innermost frame's parts from `from` to `to` as parts of this path, and drops its others.
  void keep_parts(std::uint32_t base, std::uint32_t from, std::uint32_t to);
  void add_parts(const path_end& end);
  void set_watched(bool watched) noexcept;
  void sees_outermost(site where) noexcept {
    if (depth_ != 0) return;
    outermost_.where = where;
    ++outermost_.forks;
  }
  /// A call of a loop, if it is one of those of call_site_record::calls. `s` is its record, or null.
  void count_call(call_site_table::entry& at, const detail::slot* s, std::uint64_t iterations) const noexcept;
  std::uint32_t between_tasks(site group) noexcept;
  void refresh_expectation(std::uint64_t work) noexcept;
  /// Forks and loops that the running code has pushed and that no call site has counted; not those of tasks on top.
  std::uint64_t unattributed() const noexcept;

  work_span_totals& totals_;
  stack& of_;
  bool open_ = false;      // a strand has been running since `mark_`
  bool pathless_ = false;  // counted as work and on no path: tasks of a group that are not timed one by one
  std::uint64_t mark_ = 0;
  path_point path_;
  site where_ = 0;
  call_site_table::entry* entry_;  // of `where_`
  std::uint64_t work_ = 0;         // here and by thieves, for the expectations
  std::uint32_t base_ = 0;         // the path's parts begin here
  std::uint32_t depth_ = 0;
  const detail::slot* of_call_ =
      nullptr;  // if the running task is a call from outside: where it pushes its first record
  const void* called_from_ = nullptr;
  detail::slot* serial_ = nullptr;  // of the fork that is taken as serial, with all forks below it
  guess* serial_guess_ = nullptr;   // of the last such fork below the watched fork
  std::uint32_t inside_serial_ = 0;
  bool serial_opens_ = false;  // its forks are too small to be counted
  little_part little_;
  outermost outermost_;  // since the beginning of the call that is measured
  outermost a_call_;     // what each call has that is not measured
  bool unseen_ = false;
  std::uint64_t unattributed_before_ = 0;
  std::uint64_t folded_ = 0;      // pushes that have been added to another counter
  std::uint64_t attributed_ = 0;  // pushes that call sites have counted, or that belong to other tasks
  std::vector<call_site_part> parts_;
  std::vector<frame> frames_;
  std::array<guess, 256> guesses_{};
  struct free_memory {
    void operator()(void* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<child_work_span[], free_memory>
      children_;  // one for each slot; the system allocates the pages that are touched
};

}  // namespace skua::core
