#include "core/record/activity.hpp"

#include <algorithm>

namespace skua::core {

namespace {

// All that a search does between two tasks is one slice of a trace.
observe::trace_state drawn(activity what) noexcept {
  switch (what) {
    case activity::asleep:
      return observe::trace_state::asleep;
    case activity::looking:
    case activity::claiming:
    case activity::taking:
    case activity::waiting:
      return observe::trace_state::searching;
    default:
      return observe::trace_state::busy;
  }
}

void draw_change(worker& here, activity next, std::uint64_t now) noexcept {
  if (drawn(next) != drawn(here.watch.does()))
    here.events->add({now, static_cast<std::uint64_t>(drawn(next)), observe::trace_kind::state});
}

void count_hardware(worker& here, activity next, std::uint64_t now) noexcept {
  observe::hardware_log& log = here.log->hardware;
  if (!log.did(here.watch.does(), now - std::min(here.watch.since(), now), next, now)) return;
  observe::hardware_reading reading;
  const std::uint64_t thread = host_platform::read_hardware(reading);
  log.take(thread, reading, now);
}

}  // namespace

void turn(worker& here, activity what) noexcept {
  const std::uint64_t now = host_platform::ticks();
  here.watch.begin_if_due([&] {
    if (here.log) here.log->timeline.clear(here.watch.begin_at());
  });
  if (here.log) {
    here.log->timeline.passed(here.watch.does(), here.watch.since(), now);
    if (here.log->hardware.on()) count_hardware(here, what, now);
  }
  if (here.events) draw_change(here, what, now);
  here.watch.to(what, now);
}

void passed_in_library(std::uint64_t ps) noexcept {
  const task_context* const self = detail::current;
  if (!self || !self->seat) return;
  worker& here = *self->seat;
  if (here.watch.on() && here.watch.does() == activity::user) here.library_in_tasks_ps.add(ps);
}

}  // namespace skua::core
