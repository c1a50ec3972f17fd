// The order in which a worker takes tasks from its own queue.
//
//   skua::phase<long> p(skua::order::fifo);
//   skua::scheduler pool({.own_order = skua::order::priority});
#pragma once

namespace skua {

enum class order {
  lifo,     // the newest task first; its data are probably still in the cache
  fifo,     // the oldest task first
  priority  // the greatest task first: O(log n) a task in a phase, also for a scheduler's own_order
};

}  // namespace skua
