// Tasks of a group that a stack runs one after the other.
//
// All workers that run tasks of a group change its count, so each change waits for the others. A row changes it seldom: when it
// first publishes a task, it counts many tasks ahead (task_records::publish), and at its end it reports what has ended, together
// with what is left of those. A row that publishes nothing and has only tasks that are not counted changes nothing. What other
// threads publish by force counts by itself.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>

#include "core/scheduler_core.hpp"

namespace skua::core {

/// While this lives, the stack runs such tasks.
class task_row {
 public:
  task_row(stack& self, detail::group_base& group) noexcept
      : self_(self), outer_(std::exchange(self.ahead, {&group})) {}
  ~task_row() {
    assert(self_.ahead.left == 0);  // else the group would never end
    self_.ahead = outer_;
  }
  task_row(const task_row&) = delete;
  task_row& operator=(const task_row&) = delete;

  /// Counted ahead and not used. It ends with the row's tasks.
  std::uint64_t take_left() noexcept { return std::exchange(self_.ahead.left, 0); }
  /// The row ends, in which so many counted tasks have ended.
  void report(std::uint64_t ended) noexcept {
    if (ended == 0 && self_.ahead.left == 0) return;
    count_leftovers(self_);  // while they can be counted ahead
    report_ends(*self_.ahead.of, ended + take_left(), self_);
  }

 private:
  stack& self_;
  const counted_ahead outer_;
};

}  // namespace skua::core
