// An owner publishes everything that it pushes while another worker searches. But the operating system may run both
// threads on one CPU, also where there are enough CPUs. Then the searching worker waits for its CPU, and the owner
// publishes for nothing during a whole time slice: each tiny task takes ten times as long. So an owner from which
// nothing is taken publishes only when it is asked again.
#pragma once

#include <cstdint>

namespace skua::core {

/// Of one queue of a worker. For the holder of the worker only.
class unanswered {
 public:
  /// The owner is about to publish. `oldest`: the number of the oldest record of `queue` that no thief has taken. Whether
  /// nothing was taken while the owner published `enough` times.
  bool again(const void* queue, std::uint16_t oldest) noexcept {
    const bool same = queue == queue_ && oldest == oldest_;
    queue_ = queue;
    oldest_ = oldest;
    in_row_ = same ? in_row_ + (in_row_ < enough) : 0;
    return in_row_ == enough;
  }

  /// A searching thread that has a CPU takes a record within the time of a few publications.
  static constexpr int enough = 16;

 private:
  const void* queue_ = nullptr;
  std::uint16_t oldest_ = 0;
  int in_row_ = 0;
};

}  // namespace skua::core
