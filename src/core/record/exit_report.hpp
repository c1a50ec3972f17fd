// What SKUA_REPORT and SKUA_TRACE ask for, written when the process ends: a report of the scheduler that worked most, a trace
// of all of them.
//
// Schedulers say when they begin and before they end; one that lives for ever, as the standard one, is asked at the end.
// A process that ends by _exit() or a signal writes none and leaves what stood there, nor does one write that was forked.
// A scheduler that lives longer than static objects is reported as it was when they began to end.
#pragma once

namespace skua::core {

class scheduler_core;
struct settings;

bool reported_at_exit(const settings& options) noexcept;

void report_at_exit(const scheduler_core& begins);
void report_before_end(const scheduler_core& ends) noexcept;

}  // namespace skua::core
