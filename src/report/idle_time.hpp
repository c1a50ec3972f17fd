// Why workers had nothing to do: too few parts, parts too small to be worth a steal, or few long ones.
#pragma once

#include "observe/run_record.hpp"

namespace skua::reports {

/// Parts of the idle time; they add up to 1.
struct idle_reasons {
  double few_parts = 0, small_parts = 0, long_tasks = 0;
};

/// `idle_ns`: of all workers together, while somebody was in the scheduler.
idle_reasons explain_idle_time(const observe::run_record& run, double idle_ns);

/// One task is long while others like it are short, and the run waits for it: its length in ns, or 0.
double one_long_task_ns(const observe::run_record& run);

}  // namespace skua::reports
