// The structure of what one stack runs (structure.hpp): its strands, and its forks, loops and groups that have not ended.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/platform/platform.hpp"
#include "core/work_span/call_site_table.hpp"
#include "core/work_span/paths.hpp"
#include "observe/counting.hpp"

namespace skua::core {

class stack;
class work_span_totals;

class stack_work_span {
 public:
  stack_work_span(work_span_totals& book, stack& of);
  ~stack_work_span();

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

  /// The site of what returns to `address`, unless it is what the program asked for from outside.
  site call_site(call_site_kind of, const void* address) const noexcept {
    return site_at(of, asked_from_ && depth_ == 0 && !serial_ ? asked_from_ : address);
  }
  /// The task that has begun is a call from outside for one fork or group task; null: for more than that.
  void asked_from(const void* from) noexcept { asked_from_ = from; }

  /// A push came to the slow path in what is taken as serial, and nothing else is to be done but to count it.
  bool counts_only() noexcept {
    if (!serial_ || serial_opens_ || (inside_serial_ + 1) % forks_between_checks == 0) return false;
    ++inside_serial_;
    return true;
  }
  /// A push of `s` came to the slow path. Does what is to be done there, too.
  detail::fork_way fork(detail::slot* s, site where);
  detail::fork_way loop(detail::slot* s, site where, std::uint64_t iterations, std::uint32_t grain);
  /// Whether there is memory for one more that is watched.
  bool has_frame() noexcept;
  /// One whose callables lie in no slot; always watched. Only after has_frame().
  void begin_fork(site where);
  void end_first() noexcept;
  void begin_second() noexcept;
  void end_fork() noexcept;
  /// Before the record at `s` is taken back: its first callable has ended, if only by an exception.
  void before_reclaim(const detail::slot* s) noexcept {
    if (watches(s)) end_first();
  }
  /// Before a wait for the thief of the record at `s`, and after it.
  struct child_wait {
    bool strand_ran = false;
    std::uint64_t begin = 0;
  };
  child_wait before_child(const detail::slot* s) noexcept;
  void child_ended(const detail::slot* s, const child_wait& waits) noexcept;
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
  void describe(child_work_span& child) const noexcept;
  child_work_span* child(const detail::slot* s) noexcept;

  // ---- tasks

  /// A group that is taken as serial with all groups in it, from its first task until its wait.
  struct little_part {
    const void* group = nullptr;  // null: none
    guess* expected = nullptr;
    std::uint32_t pushes = 0;  // of tasks of groups in it
    std::uint64_t began = 0;
  };
  /// What a stack was doing when it began another task on top.
  struct outer_task {
    bool open, pathless, watched;
    std::uint64_t work;
    path_point path;
    site where;
    std::uint32_t base, depth;
    const void* asked_from;
    detail::slot* serial;
    guess* serial_guess;
    std::uint64_t untold;
    little_part little;
  };
  outer_task begin_task(const path_point& at, site where, std::uint32_t depth) noexcept;
  void end_task(const outer_task& outer, path_end* end) noexcept;

  // ---- groups (structure_groups.cpp)

  /// Whether what runs is taken as serial; counts a push of a task.
  bool inside_serial() noexcept {
    if (serial_) return true;
    return little_.group && (++little_.pushes % forks_between_checks != 0 || still_little());
  }
  bool keeps_with(const work_span_totals& book) const noexcept { return &book == &book_; }
  /// `group` is its address, by which its end is known.
  group_work_span* begin_group(const void* group, site where);
  void end_little(const void* group) noexcept {
    if (little_.group == group) little_ = {};
  }
  /// A push of a task of the group to `s` came to the slow path.
  void tell_task(group_work_span& group, detail::task_pool& pool, detail::slot* s);
  /// What is run from here on is work and on no path, but for watched tasks; until end_task().
  outer_task begin_pathless(site where) noexcept;
  void leave_group(group_work_span& group, const outer_task& outer) noexcept;

  /// The stack's pushes are counted elsewhere from now on.
  void folded(std::uint64_t pushes) noexcept { folded_ += pushes; }

  // For the book.
  observe::count own_work, loops;
  call_site_table sites;

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
    std::uint64_t untold;
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
  /// Whether the record at `s` is that of the innermost frame; once that runs its second callable the slot is others'.
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
  /// Those from `from` to `to` are of this path now, and the others of the innermost frame forgotten.
  void keep_parts(std::uint32_t base, std::uint32_t from, std::uint32_t to);
  void add_parts(const path_end& end);
  void set_watched(bool watched) noexcept;
  std::uint32_t between_tasks(site group) noexcept;
  void refresh_expectation(std::uint64_t work) noexcept;
  /// Forks and loops that what runs here has pushed and no site has been told of. Tasks on top are not counted.
  std::uint64_t untold() const noexcept;

  work_span_totals& book_;
  stack& of_;
  bool open_ = false;      // a strand runs since `mark_`
  bool pathless_ = false;  // it is work and on no path: tasks of a group that are not timed one by one
  std::uint64_t mark_ = 0;
  path_point path_;
  site where_ = 0;
  call_site_table::entry* entry_;  // of `where_`
  std::uint64_t work_ = 0;         // here and by thieves, for what is expected
  std::uint32_t base_ = 0;         // the path's parts begin here
  std::uint32_t depth_ = 0;
  const void* asked_from_ = nullptr;
  detail::slot* serial_ = nullptr;  // of the fork that is taken as serial with all below
  guess* serial_guess_ = nullptr;   // of the last one below the fork that is watched
  std::uint32_t inside_serial_ = 0;
  bool serial_opens_ = false;  // what it forks is too small to be counted
  little_part little_;
  std::uint64_t folded_ = 0,
                told_ = 0;  // pushes: counted elsewhere by now; those that sites know, or are others'
  std::vector<call_site_part> parts_;
  std::vector<frame> frames_;
  std::array<guess, 256> guesses_{};
  child_work_span* children_ = nullptr;  // as many as slots, of which the system gives what is touched
};

}  // namespace skua::core
