// In which order a worker takes tasks from its own queue.
#pragma once

namespace skua {

enum class order {
  lifo,     // the newest first: what was made last is still in the cache
  fifo,     // the oldest first
  priority  // the greatest first
};

}  // namespace skua
