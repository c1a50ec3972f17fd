// Names of an earlier release. They stay for one release. Compilers warn about each use.
//
//   skua::worker& w;                // now: skua::task_context
//   skua::region named("assembly");  // now: skua::trace_span
//   skua::doing what;               // now: skua::activity
//   skua::somebody_listens();       // now: skua::has_listener()
//
// scheduler::standard() and scheduler::configure_standard() (scheduler.hpp) are now the functions default_scheduler()
// and configure_default_scheduler(). <skua/region.hpp> is now <skua/trace_span.hpp>.
#pragma once

#include <cstddef>

#include <skua/declare.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/report.hpp>
#include <skua/trace_span.hpp>

namespace skua {

using worker [[deprecated("use skua::task_context")]] = task_context;
using region [[deprecated("use skua::trace_span")]] = trace_span;
using doing [[deprecated("use skua::activity")]] = activity;
[[deprecated("use skua::has_listener()")]] inline bool somebody_listens() noexcept { return has_listener(); }

}  // namespace skua
