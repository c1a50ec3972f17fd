// Group tasks that are dealt (dealing.hpp): many tasks of a group change hands at once.
//
// A bundle is an array of tasks. A part is a range of it, and is itself a task of the group: it is queued, stolen, and handed to
// idle workers like any other. The worker that runs a part keeps its first task and gives the rest away, in halves: to idle
// workers that it knows, or into its own queue. So W tasks reach W workers in log2(W) steps, and a thief takes half of what
// is left. A part has ended when its task has, and all parts that were split off. Then it tells the part from which it was
// split off, so the ends are counted in a tree. The group counts one task for a whole bundle.
#pragma once

#include <cstdint>

#include <skua/detail/task.hpp>

#include "core/dealing/dealing.hpp"
#include "core/dealing/open_parts.hpp"

namespace skua::core {

struct task_bundle;

/// Lies in the closure of a task that is marked task::part. The record stays until the part has ended.
struct bundle_part {
  handed_record handed;  // while it is on its way to another worker
  task_bundle* of = nullptr;
  bundle_part* parent = nullptr;     // null: the whole bundle
  std::uint32_t first = 0, end = 0;  // its tasks in the bundle
  open_parts<detail::host_atomics> open;
};

/// How long a stack that has dealt tasks waits for their ends in place. As long as for a join that was handed over.
inline constexpr std::int64_t dealt_awaited_ns = 10'000;

inline bool is_part(const detail::task& t) noexcept { return t.marks & detail::task::part; }

/// Runs a task of the group and notes how long it takes, for the next ones with the same code. Returns run_in_scope().
bool run_measured(detail::task& t, stack& self, detail::group_base& group);

/// Now and then, because a small task may have become large.
bool measures_next_task(worker& here) noexcept;

/// Runs one task of the part on this stack, after it has given the others away. `top_level` as in execute().
void run_part(detail::task& t, stack& self, bool top_level);

}  // namespace skua::core
