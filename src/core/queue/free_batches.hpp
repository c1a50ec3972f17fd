// Batches of free records of group tasks, by the worker that gave them back. A worker takes its own batches first: otherwise
// two workers that fill and run large groups exchange their records, and each record has to come from the other one's cache.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include <skua/detail/task.hpp>

namespace skua::core {

/// Used under a lock. A batch is a list of records; `next` links them.
class free_batches {
 public:
  explicit free_batches(std::size_t workers) : of_worker_(workers, nullptr) {}

  void give(detail::task* batch, std::size_t worker) noexcept {
    detail::task*& newest = of_worker_[worker];
    ::new (static_cast<void*>(batch->closure)) detail::task*(newest);
    newest = batch;
  }
  /// The newest batch of `worker`, or of another worker; null if there is none. O(workers).
  detail::task* take(std::size_t worker) noexcept {
    const std::size_t n = of_worker_.size();
    for (std::size_t k = 0; k < n; ++k)
      if (detail::task*& newest = of_worker_[(worker + k) % n])
        return std::exchange(newest, *std::launder(reinterpret_cast<detail::task**>(newest->closure)));
    return nullptr;
  }

 private:
  std::vector<detail::task*> of_worker_;
};

}  // namespace skua::core
