// Tells a place's stopwatch what its worker does now. Where nobody asked for times that is one look at a flag, and none
// of it stands on the inlined path of a fork or a loop.
#pragma once

#include "core/worker.hpp"

namespace skua::core {

/// Where somebody asked for times.
void turn(place& here, doing what) noexcept;

/// From now on, until it is told something else.
inline void now_doing(place& here, doing what) noexcept {
  if (here.watch.on()) [[unlikely]]
    turn(here, what);
}

/// In virtual time: the worker's task used words of the scheduler, or a fast path of it, for so many picoseconds.
void passed_in_library(std::uint64_t ps) noexcept;

/// While this lives, in a task: then the task goes on, wherever it then is.
class spell {
 public:
  spell(const worker& self, doing what) noexcept : self_(self), outer_(self.seat->watch.does()) {
    now_doing(*self.seat, what);
  }
  ~spell() { now_doing(*self_.seat, outer_); }
  spell(const spell&) = delete;
  spell& operator=(const spell&) = delete;

 private:
  const worker& self_;
  doing outer_;
};

}  // namespace skua::core
