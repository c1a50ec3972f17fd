// The memory of the records of group tasks, in batches. Many batches lie in one piece of memory. The first use of memory
// costs a page fault for each page, which is more than a task costs. So the pieces grow with the number of records, and
// large ones are taken from the operating system in one call.
//
// No huge pages: a virtual machine may have returned such memory to its host, and its first use then takes several times as
// long as with pages of 4 KB.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
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

}  // namespace skua::core
