// What is kept of a group's tasks for the structure of a run (structure.hpp). Each begins where it was run, on the path of who
// ran it, and the group's wait goes on at the latest of their ends. In real time not all tasks of a group of small ones are
// watched; the others are work, and on no path.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include <skua/detail/task.hpp>

#include "core/work_span/work_span.hpp"

namespace skua::core {

/// Of one group; made with its first task that is watched, and used until the group is no more.
struct group_work_span {
 public:
  group_work_span(work_span_totals& book, site where, std::uint32_t between) noexcept
      : book_(book), where_(where), between_(between) {}

  work_span_totals& book() const noexcept { return book_; }
  site where() const noexcept { return where_; }

  /// By who runs a task in the group: whether it is to be watched.
  bool wants_next() noexcept;
  /// By who has run a watched one, before the group knows.
  void ended(const path_end& end) noexcept;

  struct sums {
    path_end latest;
    std::uint64_t tasks, work;
  };
  /// Since the last call.
  sums take() noexcept;
  void watch_each(std::uint32_t between) noexcept { between_.store(between, std::memory_order_relaxed); }

 private:
  work_span_totals& book_;
  const site where_;
  std::atomic<std::uint32_t>
      between_;  // tasks from one that is watched to the next; 0: nothing is known of them
  std::atomic<std::uint32_t> runs_{0}, next_{0};
  std::mutex guard_;  // real also where time is virtual: nobody else runs meanwhile
  path_end latest_{};
  std::uint64_t tasks_ = 0, work_ = 0;
};

/// Small ones are serial: no task is watched until the next wait.
inline group_work_span* const little_group = reinterpret_cast<group_work_span*>(1);

/// What a group's task runs that is about to run here: the program's, whatever is kept of it.
decltype(detail::task::run) own_code(const detail::task& t, stack& here);

/// A wait for the group at `of`, of which `group` is kept, while it lasts.
class group_wait_work_span {
 public:
  group_wait_work_span(stack& self, const void* of, group_work_span* group);
  ~group_wait_work_span();
  group_wait_work_span(const group_wait_work_span&) = delete;
  group_wait_work_span& operator=(const group_wait_work_span&) = delete;

 private:
  stack_work_span* work_span_;
  const void* of_;
  group_work_span* group_;
  stack_work_span::outer_task outer_;
  std::optional<strand_stops> stops_;
};

/// Tasks that are run by a stack that runs nothing else: those that are not watched are work.
class tasks_work_span {
 public:
  explicit tasks_work_span(task_context& w) noexcept
      : work_span_(w.work_span && !w.work_span->runs() ? w.work_span : nullptr) {
    if (work_span_) outer_ = work_span_->begin_pathless(0);
  }
  ~tasks_work_span() {
    if (work_span_) work_span_->end_task(outer_, nullptr);
  }
  tasks_work_span(const tasks_work_span&) = delete;
  tasks_work_span& operator=(const tasks_work_span&) = delete;

 private:
  stack_work_span* work_span_;
  stack_work_span::outer_task outer_;
};

}  // namespace skua::core
