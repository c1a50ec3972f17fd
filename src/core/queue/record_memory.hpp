// The memory of the records of group tasks, in batches, and the batches that are free. Many batches lie in one piece of memory.
// The first use of memory costs a page fault for each page, which is more than a task costs. So the pieces grow with the number
// of records, and large ones are taken from the operating system in one call.
//
// No huge pages: a virtual machine may have returned such memory to its host, and its first use then takes several times as
// long as with pages of 4 KB.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <skua/detail/task.hpp>

namespace skua::core {

/// Used under a lock. The memory is freed only with this object, because a thief may look at a free record.
class record_memory {
 public:
  /// A batch of new records; `next` links them, in the order of their addresses. Throws std::bad_alloc. O(1), amortised.
  detail::task* new_batch();

 private:
  struct to_free {
    void operator()(std::byte* at) const noexcept {
      ::operator delete(at, std::align_val_t{alignof(detail::task)});
    }
  };
  void take_piece(std::size_t batches);

  std::vector<std::unique_ptr<std::byte, to_free>> pieces_;
  std::byte* unused_ = nullptr;  // in the newest piece
  std::size_t batches_left_ = 0;
  std::size_t batches_made_ = 0;
};

/// Batches of free records, by the worker that gave them back. A worker takes its own batches first: otherwise two workers
/// that fill and run large groups exchange their records, and each record has to come from the other one's cache.
/// Used under a lock. `next` links the records of a batch.
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
