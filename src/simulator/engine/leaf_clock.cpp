#include "simulator/engine/leaf_clock.hpp"

#include <algorithm>
#include <limits>

#include "core/platform/platform.hpp"

namespace skua::simulator {

using core::host_platform;

leaf_clock::leaf_clock() noexcept : reading_ns_(std::numeric_limits<std::int64_t>::max()) {
  for (int i = 0; i < 100; ++i) {
    const std::int64_t from = host_platform::real_now_ns();
    reading_ns_ = std::min(reading_ns_, host_platform::real_now_ns() - from);
  }
}

// Whoever was kept waiting since the last stop was so in the simulator's code, which took long then.
void leaf_clock::start() noexcept {
  started_ns_ = host_platform::real_now_ns();
  const int thread = host_platform::thread_number();
  if (thread == thread_ && started_ns_ - stopped_ns_ < brief_ns) return;
  thread_ = thread;
  waited_ns_ = host_platform::kept_waiting_ns();
  started_ns_ = host_platform::real_now_ns();
}

std::uint64_t leaf_clock::stop() noexcept {
  stopped_ns_ = host_platform::real_now_ns();
  std::int64_t took = stopped_ns_ - started_ns_ - reading_ns_;
  if (took >= brief_ns) {
    const std::int64_t waited = host_platform::kept_waiting_ns();
    if (waited >= 0 && waited_ns_ >= 0) took -= waited - waited_ns_;
    waited_ns_ = waited;
    stopped_ns_ = host_platform::real_now_ns();
  }
  return took > 0 ? static_cast<std::uint64_t>(took) : 0;
}

}  // namespace skua::simulator
