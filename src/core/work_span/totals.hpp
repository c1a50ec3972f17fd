// The sums of work and span (work_span.hpp) over all stacks of a scheduler.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/platform/process_fork.hpp"
#include "core/work_span/stack_work_span.hpp"
#include "observe/run_record.hpp"

namespace skua::core {

struct stolen_side;
class symbols;

/// Of one scheduler.
class work_span_totals {
 public:
  explicit work_span_totals(bool simulated);

  /// Until the scheduler ends.
  void add(stack& s);
  /// What lies beside the record to which `side` belongs, or null if it is unknown.
  child_work_span* child_of(const stolen_side* side) const;
  /// For a record that lies in no stack's slots.
  void add_child(const stolen_side* side, child_work_span& child);
  void remove_child(const stolen_side* side);

  /// Where a call from outside begins on the longest path, and after how many calls of clear().
  struct call {
    path_point begin;
    std::uint64_t clears = 0;
  };
  call begin_call() const;
  void end_call(const call& its, const path_end& end);

  /// The run so far. `forks`: all records that were pushed, including those of loops.
  observe::work_span_record read(double ns_a_tick, std::uint64_t forks, std::uint64_t group_tasks) const;
  void clear(std::uint64_t now);

  std::uint32_t keep(const watched_task& task);
  watched_task take(std::uint32_t number);
  /// The function that the task runs.
  detail::task_code code_of(std::uint32_t number);

  bool exact() const noexcept { return exact_; }
  std::uint64_t grain_ticks() const noexcept { return grain_ticks_; }
  /// A part that was expected to hold less than a grain, and takes longer than this, holds more.
  std::uint64_t outgrown_ticks() const noexcept { return 2 * grain_ticks_; }
  std::uint64_t burden_ticks() const noexcept { return burden_ticks_; }
  std::uint64_t tiny_fork_ticks() const noexcept { return tiny_fork_ticks_; }
  /// What now_ns() was at an earlier reading of the ticks, a short time ago.
  std::int64_t ns_at(std::uint64_t ticks) const noexcept;

 private:
  struct call_site_sums {
    std::uint64_t work = 0, span = 0, times = 0, inside = 0;
    loop_calls::sums loops;
    std::set<site> around;  // the sites in which each stack first met it

    call_site_sums& operator+=(const call_site_sums& other) noexcept {
      work += other.work;
      span += other.span;
      times += other.times;
      inside += other.inside;
      loops += other.loops;
      return *this;
    }
  };
  struct totals {
    std::uint64_t work = 0, loops = 0;
    path_point path;
  };
  static void give_to_loops(std::map<site, call_site_sums>& all, symbols& known);
  static std::vector<observe::call_site_record> call_sites_of(std::map<site, call_site_sums> all,
                                                              double ns_a_tick);
  totals read_sums(std::map<site, call_site_sums>& sites) const;

  const bool exact_;
  std::uint64_t grain_ticks_, burden_ticks_, tiny_fork_ticks_;
  double grain_ns_, ticks_a_ns_;
  mutable fork_safe_lock guard_;  // a real mutex also in virtual time: no other virtual thread runs meanwhile
  std::vector<std::unique_ptr<stack_work_span>> stacks_;
  std::map<const stolen_side*, std::pair<stack*, stack_work_span*>> by_sides_;
  std::map<const stolen_side*, child_work_span*> slotless_;
  fork_safe_lock tasks_guard_;
  std::deque<watched_task> tasks_;
  std::vector<std::uint32_t> free_tasks_;
  path_point longest_;  // of the calls that have ended
  path_point before_;   // at clear()
  std::uint64_t clears_ = 0, cleared_at_ = 0;
  std::map<site, std::uint64_t> parts_;  // of the longest path since clear()
};

}  // namespace skua::core
