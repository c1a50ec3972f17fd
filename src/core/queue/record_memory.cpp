#include "core/queue/record_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "base/populate.hpp"
#include "core/scheduler_core.hpp"

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

// ---- the records of a scheduler

detail::task* scheduler_core::take_batch(std::size_t at) {
  std::lock_guard lock(memory_mutex_);
  if (detail::task* const known = task_batches_.take(at)) return known;
  return task_memory_.new_batch();
}

void scheduler_core::give_batch(detail::task* first, std::size_t at) noexcept {
  std::lock_guard lock(memory_mutex_);
  task_batches_.give(first, at);
}

}  // namespace skua::core

// ---- and of its workers

namespace skua::detail {

namespace {

/// After so many batches of which none was given back, the records of the next ones have left the caches.
constexpr std::size_t cold_after = 40;

/// Records are used one after the other, so that each push would wait for its record. A batch mostly lies in one piece, in this
/// order or in reverse. With 10^6 queued tasks this makes a push 40% cheaper (bench/long_queues.cpp).
void prefetch_batch(const task& first) noexcept {
  const auto address = [](const task* t) { return reinterpret_cast<std::intptr_t>(t); };
  const std::intptr_t step = address(first.next) - address(&first);
  if (std::abs(step) != sizeof(task)) return;
  for (std::intptr_t i = 2; i < std::intptr_t{task_pool::batch}; ++i)
    __builtin_prefetch(reinterpret_cast<const void*>(address(&first) + i * step), 1);
}

}  // namespace

task& task_pool::refill() {
  free = owner->pool->take_batch(owner->id);
  free_count = batch;
  if (++refills > cold_after) prefetch_batch(*free);
  task* t = free;
  free = t->next;
  --free_count;
  return *t;
}

bool task_pool::reserve(std::size_t n) noexcept {
  if (free_count >= n) return true;
  try {
    task* const more = owner->pool->take_batch(owner->id);
    task* end = more;
    while (end->next) end = end->next;
    end->next = free;
    free = more;
    free_count += batch;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Records move from the workers that create tasks to those that run them. The surplus returns in batches.
void task_pool::spill() noexcept {
  task* first = free;
  task* end = first;
  for (std::size_t i = 1; i < batch; ++i) end = end->next;
  free = end->next;
  free_count -= batch;
  refills = 0;
  end->next = nullptr;
  owner->pool->give_batch(first, owner->id);
}

}  // namespace skua::detail
