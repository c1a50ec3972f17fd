#include "core/queue/record_memory.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "base/populate.hpp"

namespace skua::core {

namespace {

constexpr std::size_t records = detail::task_pool::batch;
constexpr std::size_t batch_bytes = records * sizeof(detail::task);
/// A piece has at most an eighth of the batches that exist, so at most an eighth of the memory is unused.
constexpr std::size_t unused_share = 8;
constexpr std::size_t max_batches = 64;  // 2 MB
/// Smaller pieces come from memory that malloc often has already. A call for them would cost more than it saves.
constexpr std::size_t populated_batches = 8;

detail::task* new_record(std::byte* at) noexcept {
  detail::task* const t = ::new (at) detail::task;
  t->run = nullptr;  // no value for the whole record: that would write both of its cache lines
  t->group.store(nullptr, std::memory_order_relaxed);
  t->isolation.store(0, std::memory_order_relaxed);
  t->bound.store(0, std::memory_order_relaxed);
  t->order = 0;
  t->marks = detail::task::plain;
  t->told = 0;
  return t;
}

}  // namespace

void record_memory::take_piece(std::size_t batches) {
  const std::size_t bytes = batches * batch_bytes;
  std::unique_ptr<std::byte, to_free> piece(
      static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignof(detail::task)})));
  if (batches >= populated_batches) base::populate(piece.get(), bytes);
  std::byte* const at = piece.get();
  pieces_.push_back(std::move(piece));
  unused_ = at;
  batches_left_ = batches;
}

detail::task* record_memory::new_batch() {
  if (batches_left_ == 0) {
    std::size_t batches =
        std::clamp(std::bit_floor(batches_made_ / unused_share), std::size_t{1}, max_batches);
    for (;; batches /= 2) {
      try {
        take_piece(batches);
        break;
      } catch (const std::bad_alloc&) {
        if (batches == 1) throw;
      }
    }
  }
  std::byte* const at = std::exchange(unused_, unused_ + batch_bytes);
  --batches_left_;
  ++batches_made_;
  detail::task* const first = new_record(at);
  detail::task* last = first;
  for (std::size_t i = 1; i < records; ++i) last = last->next = new_record(at + i * sizeof(detail::task));
  last->next = nullptr;
  return first;
}

}  // namespace skua::core
