// Tells a place's stopwatch what its worker does now. Where nobody asked for times that is one look at a flag, and none
// of it stands on the inlined path of a fork or a loop.
#pragma once

#include "core/worker.hpp"

namespace skua::core {

/// Where somebody asked for times.
void turn(worker& here, activity what) noexcept;

/// From now on, until it is told something else.
inline void set_activity(worker& here, activity what) noexcept {
  if (here.watch.on()) [[unlikely]]
    turn(here, what);
}

/// In virtual time: the worker's task used words of the scheduler, or a fast path of it, for so many picoseconds.
void passed_in_library(std::uint64_t ps) noexcept;

/// While this lives, in a task: then the task goes on, wherever it then is.
class scoped_activity {
 public:
  scoped_activity(const task_context& self, activity what) noexcept
      : self_(self), outer_(self.seat->watch.does()) {
    set_activity(*self.seat, what);
  }
  ~scoped_activity() { set_activity(*self_.seat, outer_); }
  scoped_activity(const scoped_activity&) = delete;
  scoped_activity& operator=(const scoped_activity&) = delete;

 private:
  const task_context& self_;
  activity outer_;
};

}  // namespace skua::core
