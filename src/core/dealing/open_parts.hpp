// How many of the parts that were split off from one part of a bundle have not ended, itself included (dealt_tasks.hpp). Exactly one
// thread learns that all have ended. Checked by tests/model/open_parts_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::core {

template <class P>
class open_parts {
 public:
  open_parts() { P::quietly(count_).store(1, std::memory_order_relaxed); }

  /// For the thread that runs the part, before the other part can end.
  /// relaxed: the other part's thread gets the part by a call box or a queue, which release.
  void split_off() { count_.fetch_add(1, std::memory_order_relaxed); }

  /// The part or one that was split off has ended. True for the last of them, which sees the results of all. After false the part
  /// may no longer exist.
  bool ended() {
    // Nothing is split off any more when the last one ends. acquire: partner of the release below.
    if (count_.load(std::memory_order_acquire) == 1) return true;
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  typename P::template atomic<std::uint32_t> count_;
};

}  // namespace skua::core
