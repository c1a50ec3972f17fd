// The files of SKUA_REPORT and SKUA_TRACE, written when the process ends: a report of the scheduler that computed most, and
// a trace of all schedulers.
//
// Schedulers register when they begin and before they end; one that never ends, such as the default one, is asked at the
// end of the process. A process that ends by _exit() or a signal writes nothing and leaves the files as they were. A child of
// fork() writes only about schedulers that were made or started anew in it, and only where the name of the file has %p, the
// process id. A scheduler that outlives static objects is reported as it was when they began to end.
#pragma once

namespace skua::core {

class scheduler_core;
struct settings;

bool reported_at_exit(const settings& options) noexcept;

void report_at_exit(const scheduler_core& begins);
void report_before_end(const scheduler_core& ends) noexcept;

}  // namespace skua::core
